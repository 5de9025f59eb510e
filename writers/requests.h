/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives requests for snapshots and requests of `omptape top`, and sends the answers
 * (include/omptape/requests.h).
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct omptape_request {
    pid_t answer_pid; /* Process that waits for the answer; 0: none. */
    int answer_place; /* The signal's value: a descriptor or a socket number. */
};

/* Blocks the request signals, so that the kernel queues them. Called before another thread is created. */
void omptape_requests_start(void);

/* Takes the next request for a snapshot. Returns false if there is none. */
bool omptape_requests_take(struct omptape_request *request);
/* Takes the next request of `omptape top`. Returns false if there is none. */
bool omptape_requests_take_top(struct omptape_request *request);

/* Opens the destination of the answer, which the caller writes in one or several pieces and closes.
 * Returns -1 if nobody waits for the answer. */
int omptape_requests_open(const struct omptape_request *request);

/* Sends the line to the process that asked. Never blocks, and ignores failures if that process is gone. */
void omptape_requests_answer(const struct omptape_request *request, const char *text);
