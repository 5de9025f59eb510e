/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work in a child process, because a library may crash, print or hang on the files that it is given. The
 * child prints nothing, leaves no core file and does not outlive its parent. That one waits for it and kills
 * it when it makes no progress. Used by the reader's guard and by unify, on the command's only thread.
 */
#ifndef OMPTAPE_CORE_GUARDED_CHILD_H
#define OMPTAPE_CORE_GUARDED_CHILD_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory that a child shares with its parent; munmap it. NULL with errno: there is none. */
void *omptape_guarded_memory(size_t bytes);

/* In the child; what it leaves for its parent lies in shared memory. */
typedef void omptape_guarded_work(void *data);

/* In the parent, several times while it waits: a number that changes as the child goes on. */
typedef uint64_t omptape_guarded_watch(void *data);

/* Runs `work` and waits for its end. 0 with *status as waitpid gives it; -ETIMEDOUT: it made no progress and
 * was killed; or another negative errno: there was no child. */
int omptape_guarded_child(omptape_guarded_work *work, omptape_guarded_watch *watch, void *data, int *status);

#endif
