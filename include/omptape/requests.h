/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to a writer by `omptape snapshot PID` and `omptape top`. A request is a signal whose value
 * describes where the answer goes: the number of a pipe's descriptor in the requesting process.
 *
 * The writer's user cannot open descriptors of root. So root listens on a socket with a name from the kernel
 * (unix(7), "autobind"), and the value is OMPTAPE_REQUEST_SOCKET minus the number in this name. A plain
 * SIGUSR1 is a request without an answer. writers/requests.c is the writer's side.
 */
#pragma once

#include <signal.h>

/* Requests a snapshot. A real-time signal is queued, so that no request is lost. */
#define OMPTAPE_REQUEST_SIGNAL SIGRTMIN
/* Requests the current sums (src/analysis/reduce/message.h), up to the end of the answer. The writer keeps
 * sums as long as requests continue. A writer of an older version does not block this signal. */
#define OMPTAPE_TOP_SIGNAL (SIGRTMIN + 1)

enum { OMPTAPE_REQUEST_SOCKET = -1 };
#define OMPTAPE_REQUEST_NAME "%05x" /* The socket's name, after a zero byte. */
