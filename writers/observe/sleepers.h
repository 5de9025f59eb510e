/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads sleep that are at work. The writer looks at a sleeping thread by /proc/PID/task/TID/syscall
 * and a copy of its stack. Where the kernel refuses these (ptrace_scope) nothing is known. Nothing is done to
 * the thread. The writer's main thread.
 */
#pragma once

#include "writers/observe/others.h"

struct omptape_sleepers {
    uint64_t begin;       /* CLOCK_MONOTONIC_RAW, ns, as all of these */
    uint64_t next;        /* look */
    uint64_t alert_until; /* somebody was found asleep: looks are more frequent */
    uint64_t spent;       /* that looks have taken */
    uint32_t at;          /* the location that was looked at last */
    bool refused;
};

void omptape_sleepers_start(struct omptape_sleepers *sleepers, const struct omptape_writer *writer);

/* After the context switches were taken: looks at some threads, if it is time. `tasks`: the folder of the
 * program's threads. */
void omptape_sleepers_serve(struct omptape_sleepers *sleepers, const struct omptape_others *others,
                            struct omptape_writer *writer, int tasks);

/* How long the writer may sleep, `most` at the most (ns). */
uint64_t omptape_sleepers_patience(const struct omptape_sleepers *sleepers, uint64_t most);
