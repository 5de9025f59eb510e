/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The limit of processor time (cgroup v2's cpu.max, v1's cfs_quota) that the process is under: the tightest
 * one of its cgroup and of those above it, as far as they can be seen. Any thread.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* What the limit did since the cgroup was made. */
struct omptape_throttling {
    uint64_t periods;
    uint64_t throttled; /* periods */
    uint64_t ns;        /* that threads were stopped */
};

struct omptape_quota {
    bool found;           /* the process's cgroup */
    bool limited;         /* false: nothing limits it, and the rest is nothing */
    char group[PATH_MAX]; /* its folder */
    uint64_t quota_ns;    /* a period, */
    uint64_t period_ns;   /* ...and how long that is */
    struct omptape_throttling now;
};

/* `process`: the open folder /proc/PID. `mounts`: the path of the writer's mountinfo. */
void omptape_quota_read(struct omptape_quota *quota, int process, const char *mounts);
