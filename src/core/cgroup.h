/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the cgroups that a process belongs to. May be called on any thread.
 */
#pragma once

#include <stdbool.h>

/* Called for a cgroup's folder, of version 2 or 1. */
typedef void omptape_cgroup_visitor(void *argument, const char *folder, bool v2);

/* Visits the process's cgroup and all visible ancestors, from the innermost to the mount point. `v2` chooses
 * version 2's hierarchy, or else version 1's with the controller. `process` is a descriptor of /proc/PID,
 * `mounts` the path of the caller's mountinfo. Returns false if the process's cgroup was not found. */
bool omptape_cgroup_visit(int process, const char *mounts, const char *controller, bool v2,
                          omptape_cgroup_visitor *visit, void *argument);

/* Returns the text of the folder's file `name`, which the caller frees; NULL if there is none. */
char *omptape_cgroup_read(const char *folder, const char *name);
