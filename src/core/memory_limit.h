/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the limit of memory (cgroup v2's memory.max, v1's memory.limit_in_bytes) that applies to the process.
 * May be called on any thread.
 */
#pragma once

#include <stdint.h>

/* Returns the tightest limit of the process's cgroup and all visible ancestors, bytes; UINT64_MAX if there is
 * none. The arguments are those of omptape_cgroup_visit. */
uint64_t omptape_memory_limit(int process, const char *mounts);
