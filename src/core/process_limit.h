/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the limit on processes and threads (cgroup's pids.max) that applies to a process. May be called on
 * any thread.
 */
#pragma once

#include <stdint.h>

/* Returns how many more processes and threads the process's cgroup and all visible ancestors allow;
 * UINT64_MAX if there is no limit. The arguments are those of omptape_cgroup_visit. */
uint64_t omptape_process_limit(int process, const char *mounts);
