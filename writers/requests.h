/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests from outside, `omptape snapshot PID`: a signal whose value says where the answer goes. It is the
 * number of a pipe's descriptor in the asking process. Root's descriptors cannot be opened by the writer's
 * user: root listens at a socket that the kernel has named (unix(7), "autobind"), and the value is
 * OMPTAPE_REQUEST_SOCKET minus the number that this name is. A plain SIGUSR1 is a request that wants no
 * answer. The writer's main thread.
 */
#ifndef OMPTAPE_WRITERS_REQUESTS_H
#define OMPTAPE_WRITERS_REQUESTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One of those that queue: none of several requests at once is lost. */
#define OMPTAPE_REQUEST_SIGNAL SIGRTMIN

enum { OMPTAPE_REQUEST_SOCKET = -1 };
#define OMPTAPE_REQUEST_NAME "%05x" /* of the socket, after a zero */

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
