/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where threads sleep in the program's code. The writer reads /proc/PID/task/TID/syscall of a sleeping
 * thread and copies its stack; the thread itself is not touched. There are no such samples if the kernel
 * refuses the access (ptrace_scope). Called on the writer's main thread.
 */
#pragma once

#include "writers/observe/others.h"

struct omptape_sleepers {
    uint64_t begin;          /* all times: CLOCK_MONOTONIC_RAW, ns */
    uint64_t next;           /* time of the next look */
    uint64_t frequent_until; /* looks are more frequent until then, after a sleeping thread was found */
    uint64_t spent;          /* processor time that looks have taken */
    uint32_t at;             /* index of the location that was looked at last */
    bool refused;
};

void omptape_sleepers_start(struct omptape_sleepers *sleepers, const struct omptape_writer *writer);

/* Looks at some threads if it is time. To be called after the context switches were read. `tasks` is the
 * folder of the program's threads. */
void omptape_sleepers_serve(struct omptape_sleepers *sleepers, const struct omptape_others *others,
                            struct omptape_writer *writer, int tasks);

/* Returns how long the writer may sleep, at most `max_ns`. */
uint64_t omptape_sleepers_max_sleep_ns(const struct omptape_sleepers *sleepers, uint64_t max_ns);
