/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Context switches of the program's threads, as the kernel records them (perf_event_open, no privilege at
 * perf_event_paranoid 2 and below). Each gives the exact moments at which a thread went on or off a
 * processor, and whether it was preempted or slept. They become readings of its processor time
 * (model/sched.h) between those that come from /proc. The rings also carry samples, if these are asked for.
 * Where the kernel refuses, there are only the latter. On the writer's main thread.
 */
#pragma once

#include "writers/observe/counters.h"
#include "writers/observe/others.h"
#include "writers/observe/sampling.h"
#include "writers/observe/thread_files.h"

#include <sys/types.h>

/* All rings of a process. */
struct omptape_switch_rings {
    struct omptape_thread_files *files; /* of the process's threads, */
    const struct omptape_others *list;  /* ...of which these are no threads of OpenMP's */
    pid_t owner;                        /* the writer: its forked children do not have the rings */
    uint32_t open;                      /* rings */
    uint32_t threads;                   /* that have had one, */
    uint32_t others;                    /* ...which OpenMP does not know */
    bool refused;                       /* the kernel gives no more */
    struct omptape_sampling sampling;
    struct omptape_counters counters; /* whose values come with the samples */
};

/* `processors`: how many the program may run on. */
void omptape_switches_start(struct omptape_switch_rings *rings, struct omptape_thread_files *files,
                            const struct omptape_others *list, const struct omptape_writer *writer,
                            uint32_t processors);

/* Opens a ring for each thread that has none, takes what the kernel has written, and closes the rings of
 * threads that are over. To be called before each pass of the merge, so that a switch is known before the
 * records that follow it. */
void omptape_switches_serve(struct omptape_switch_rings *rings, struct omptape_writer *writer);

/* Puts what the switches tell in place of the times of `reading`, which are from /proc: sums never decrease.
 * Does nothing for a thread without a ring. */
void omptape_switches_correct(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                              struct omptape_location *location, struct omptape_sched_reading *reading);

/* The program's end: reads the thread's counters for the last time. */
void omptape_switches_count_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                 struct omptape_location *location);

/* The thread is gone: notes how long it had run and waited when it left its processor for the last time. */
void omptape_switches_note_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                struct omptape_location *location);

/* May the thread be asleep? False: it was not when the switches were taken. */
bool omptape_switches_may_sleep(const struct omptape_location *location);

/* Where a thread sleeps, as long as its switches tell that it is the same sleep: it need not be looked at
 * again. False: it has to be. */
bool omptape_switches_recall_sleep(const struct omptape_location *location, OTF2_CallingContextRef *context);
void omptape_switches_keep_sleep(struct omptape_location *location, OTF2_CallingContextRef context);

/* Takes what the kernel has written of another thread, and closes its ring. */
void omptape_switches_close(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                            struct omptape_location *location);

/* OpenMP knows the thread from now on: its ring is the location's. */
void omptape_switches_give(struct omptape_switch_rings *rings, struct omptape_location *other,
                           struct omptape_location *location);

/* Closes all rings. */
void omptape_switches_stop(struct omptape_switch_rings *rings, struct omptape_writer *writer);
