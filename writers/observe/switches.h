/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the context switches of the program's threads, as the kernel records them (perf_event_open). No
 * privilege is needed if perf_event_paranoid is 2 or less. A switch gives the exact time at which a thread
 * got or left a processor, and whether it was preempted or slept. Switches become readings of processor time
 * (writers/state/sched.h) between those from /proc. The rings also carry samples if these are enabled. If the
 * kernel refuses the events, only the readings from /proc remain. The rings also show when a thread ended,
 * and which threads it created. Called on the writer's main thread.
 */
#pragma once

#include "writers/observe/counters.h"
#include "writers/observe/others.h"
#include "writers/observe/sampling.h"
#include "writers/observe/thread_files.h"

#include <sys/types.h>

/* All rings of a process. */
struct omptape_switch_rings {
    struct omptape_thread_files *files; /* the process's threads in /proc */
    struct omptape_others *list;        /* the threads that OpenMP does not know */
    pid_t owner;                        /* the writer's process; its forked children do not have the rings */
    uint32_t open;                      /* open rings */
    uint32_t threads;                   /* threads that have had a ring */
    uint32_t others;                    /* those of `threads` that OpenMP does not know */
    uint64_t switched;                  /* recorded switches to threads whose rings are closed */
    bool refused;                       /* the kernel refused a ring; no more are opened */
    struct omptape_sampling sampling;
    struct omptape_counters counters; /* their values come with the samples */
};

/* Initialises the rings. `processors` is the number of processors that the program may use. */
void omptape_switches_start(struct omptape_switch_rings *rings, struct omptape_thread_files *files,
                            struct omptape_others *list, const struct omptape_writer *writer,
                            uint32_t processors);

/* Reads all rings, opens missing ones and closes those of ended threads. To be called before each pass of the
 * merge, so that a switch is known before the records that follow it. */
void omptape_switches_serve(struct omptape_switch_rings *rings, struct omptape_writer *writer);

/* Replaces the times of `reading`, which are from /proc, by those of the switches. Sums never decrease. Does
 * nothing for a thread without a ring. */
void omptape_switches_correct(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                              struct omptape_location *location, struct omptape_sched_reading *reading);

/* Reads the thread's counters for the last time, at the program's end. */
void omptape_switches_count_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                 struct omptape_location *location);

/* Called when the thread is gone: records its times when it last left its processor. */
void omptape_switches_note_last(const struct omptape_switch_rings *rings, struct omptape_writer *writer,
                                struct omptape_location *location);

/* Returns false if the thread was not asleep when the switches were last read. */
bool omptape_switches_may_sleep(const struct omptape_location *location);

/* What a look at a sleeping thread found. */
struct omptape_sleep {
    OTF2_CallingContextRef context; /* undefined if it is in the runtime */
    uint32_t joined;                /* the TID of the thread for whose end it waits; 0 if for none */
};

/* Recall returns what Keep stored, if the thread is in the same sleep, or false: look at it again. */
bool omptape_switches_recall_sleep(const struct omptape_location *location, struct omptape_sleep *sleep);
void omptape_switches_keep_sleep(struct omptape_location *location, const struct omptape_sleep *sleep);

/* Reads the rest of another thread's ring and closes it. */
void omptape_switches_close(struct omptape_switch_rings *rings, struct omptape_writer *writer,
                            struct omptape_location *location);

/* Closes another thread's ring without reading it, and does not count the thread: OpenMP has registered it,
 * and its location has a ring. */
void omptape_switches_discard(struct omptape_switch_rings *rings, struct omptape_location *other);

/* Moves the thread's ring to its location, when OpenMP has registered the thread. */
void omptape_switches_move_ring(struct omptape_switch_rings *rings, struct omptape_location *other,
                                struct omptape_location *location);

/* switch_cost.c: Returns what the kernel took to record the program's context switches, ns of processor time.
 * It is their number times the cost of one, which is measured now. Returns 0 if there were few, or if it
 * cannot be measured. */
uint64_t omptape_switches_cost(struct omptape_switch_rings *rings, const struct omptape_writer *writer);

/* Closes all rings. */
void omptape_switches_stop(struct omptape_switch_rings *rings, struct omptape_writer *writer);
