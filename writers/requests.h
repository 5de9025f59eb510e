/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests from outside, `omptape snapshot PID`: a signal whose value is the number of a pipe's descriptor in
 * the asking process, where the answer goes. A plain SIGUSR1 is a request that wants no answer. The writer's
 * main thread.
 */
#ifndef OMPTAPE_WRITERS_REQUESTS_H
#define OMPTAPE_WRITERS_REQUESTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One of those that queue: none of several requests at once is lost. */
#define OMPTAPE_REQUEST_SIGNAL SIGRTMIN

struct omptape_request {
    pid_t answer_pid; /* 0: nobody waits for an answer */
    int answer_fd;    /* a descriptor of that process */
};

/* Keeps requests from now on. Before any other thread is made. */
void omptape_requests_start(void);

/* The next request; false: none. */
bool omptape_requests_take(struct omptape_request *request);

/* Sends the line to whoever asked. Never blocks; fails quietly if nobody is there any more. */
void omptape_requests_answer(const struct omptape_request *request, const char *text);

#endif
