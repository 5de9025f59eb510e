/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to a writer, `omptape snapshot PID` and `omptape top`: a signal whose value says where the answer
 * goes. It is the number of a pipe's descriptor in the asking process. Root's descriptors cannot be opened by
 * the writer's user: root listens at a socket that the kernel has named (unix(7), "autobind"), and the value
 * is OMPTAPE_REQUEST_SOCKET minus the number that this name is. A plain SIGUSR1 is a request that wants no
 * answer. The writer's side is writers/requests.c, the other src/job/writer_call.c.
 */
#ifndef OMPTAPE_REQUESTS_H
#define OMPTAPE_REQUESTS_H

#include <signal.h>

/* For a snapshot. One of those that queue: none of several requests at once is lost. */
#define OMPTAPE_REQUEST_SIGNAL SIGRTMIN
/* For the sums of now (src/analysis/reduce/message.h), up to the end of the answer. Sums are kept as long as
 * somebody asks again and again. A writer that does not block this signal is of an older version. */
#define OMPTAPE_LOOK_SIGNAL (SIGRTMIN + 1)

enum { OMPTAPE_REQUEST_SOCKET = -1 };
#define OMPTAPE_REQUEST_NAME "%05x" /* of the socket, after a zero */

#endif
