/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks that were created and have not begun, where a cancellation may discard them: libgomp tells nobody.
 * What is left of them when their region is over was discarded.
 */
#ifndef OMPTAPE_CALLBACKS_GOMP_WAITING_H
#define OMPTAPE_CALLBACKS_GOMP_WAITING_H

#include <stdint.h>

struct omptape_gomp_waiting;

/* Any thread. NULL: there is no memory, and nobody will say so if the task is discarded. */
struct omptape_gomp_waiting *omptape_gomp_waiting_add(uint64_t task, uint64_t region);
/* The task begins. Any thread. */
void omptape_gomp_waiting_remove(struct omptape_gomp_waiting *waiting);
/* The region is over: records the end of those that are left. The thread that met the region. */
void omptape_gomp_waiting_discard(uint64_t region);
/* In a forked child, which has none of them. */
void omptape_gomp_waiting_forget(void);

#endif
