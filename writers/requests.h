/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests for snapshots, and of `omptape top` (include/omptape/requests.h).
 */
#ifndef OMPTAPE_WRITERS_REQUESTS_H
#define OMPTAPE_WRITERS_REQUESTS_H

#include <stdbool.h>
#include <sys/types.h>

struct omptape_request {
    pid_t answer_pid; /* 0: nobody waits for an answer */
    int answer_place; /* the signal's value */
};

/* Keeps requests from now on. Before any other thread is made. */
void omptape_requests_start(void);

/* The next request for a snapshot; false: none. */
bool omptape_requests_take(struct omptape_request *request);
/* The same of `omptape top`. */
bool omptape_requests_take_look(struct omptape_request *request);

/* Where the answer goes, for writing it in one piece or in several; -1: nobody waits for it any more. */
int omptape_requests_open(const struct omptape_request *request);

/* Sends the line to whoever asked. Never blocks; fails quietly if nobody is there any more. */
void omptape_requests_answer(const struct omptape_request *request, const char *text);

#endif
