/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests for snapshots (include/omptape/requests.h).
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

/* The next request; false: none. */
bool omptape_requests_take(struct omptape_request *request);

/* Sends the line to whoever asked. Never blocks; fails quietly if nobody is there any more. */
void omptape_requests_answer(const struct omptape_request *request, const char *text);

#endif
