/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the limit of processor time (cgroup v2's cpu.max, v1's cfs_quota) that applies to the process. It is
 * the tightest limit of its cgroup and all visible ancestors. May be called on any thread.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Throttling since the cgroup was created. */
struct omptape_throttling {
    uint64_t periods;
    uint64_t throttled; /* throttled periods */
    uint64_t ns;        /* time in which threads were throttled */
};

struct omptape_quota {
    bool found;           /* true if the process's cgroup was found */
    bool limited;         /* false if nothing limits it; the other fields are zero then */
    char group[PATH_MAX]; /* folder of the limiting cgroup */
    uint64_t quota_ns;    /* processor time per period */
    uint64_t period_ns;   /* length of a period */
    struct omptape_throttling now;
};

/* Reads the limit. `process` is a descriptor of /proc/PID. `mounts` is the path of the caller's mountinfo. */
void omptape_quota_read(struct omptape_quota *quota, int process, const char *mounts);
