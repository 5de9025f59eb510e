/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a function in a child process, because a library may crash, print or hang on damaged files. The child
 * prints nothing, leaves no core file and ends with its parent. The parent waits for it, and kills it if it
 * makes no progress. Used by the command on its only thread, and by the writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocates zeroed memory shared by child and parent; the caller unmaps it. NULL with errno on failure. */
void *omptape_guarded_memory(size_t bytes);

/* Runs in the child and stores its results in shared memory. omptape_out_of_memory is false at its begin. */
typedef void omptape_guarded_work(void *data);

/* Called repeatedly in the parent while it waits. Returns a number that changes with the child's progress. */
typedef uint64_t omptape_guarded_watch(void *data);

/* Runs `work` in a child and waits for it. Returns 0 with *status as from waitpid; -ETIMEDOUT if the child
 * made no progress and was killed. Another negative errno: no child could be created. */
int omptape_guarded_child(omptape_guarded_work *work, omptape_guarded_watch *watch, void *data, int *status);

/* Returns false if a filter of system calls (seccomp) ends a process that makes the calls of `work`, as
 * filters of services do. Runs it in a child, unless the kernel says that this process has no filter. Returns
 * false, too, if no child could be created. */
bool omptape_guarded_is_safe(omptape_guarded_work *work, void *data);
