/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the limits of cgroups that apply to a process: the tightest of its cgroup and all visible ancestors.
 * The arguments are those of omptape_cgroup_visit. May be called on any thread.
 */
#pragma once

#include <stdint.h>

/* Returns the limit of memory, bytes (v2's memory.max, v1's memory.limit_in_bytes); UINT64_MAX: none. */
uint64_t omptape_memory_limit(int process, const char *mounts);

/* Returns how many more processes and threads are allowed (pids.max); UINT64_MAX: any number. */
uint64_t omptape_process_limit(int process, const char *mounts);
