/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks with a detach clause: such a task is over when its function has returned and its event is fulfilled,
 * whichever comes last.
 */
#ifndef OMPTAPE_CALLBACKS_GOMP_DETACH_H
#define OMPTAPE_CALLBACKS_GOMP_DETACH_H

#include <stdbool.h>
#include <stdint.h>

/* The task of this event begins to run. */
void omptape_gomp_detach_begins(uint64_t event, uint64_t task);
/* Its function has returned. True if the task is over. */
bool omptape_gomp_detach_ends(uint64_t event, uint64_t task);

#endif
