/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks that were created and have not begun. A cancellation may discard them, which libgomp does not report.
 * Tasks left in the list when their region ends were discarded.
 */
#pragma once

#include <stdint.h>

struct omptape_gomp_pending_task;

/* Adds a task. Returns NULL if memory is exhausted; a discard of the task is then not recorded. Any
 * thread. */
struct omptape_gomp_pending_task *omptape_gomp_pending_task_add(uint64_t task, uint64_t region);
/* Removes and frees the entry when the task begins. Any thread. */
void omptape_gomp_pending_task_remove(struct omptape_gomp_pending_task *waiting);
/* Records the cancellation of all tasks of the region that are left. Called at the region's end, on the
 * encountering thread. */
void omptape_gomp_pending_tasks_discard(uint64_t region);
/* Empties the list in a forked child, which has none of these tasks. */
void omptape_gomp_pending_tasks_forget(void);
