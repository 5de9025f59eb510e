/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures serial time: the time between two parallel regions in which only one thread of the process works.
 *
 * In a process with several initial threads, it tracks what each one does outside of parallel regions. It
 * also tracks how many of them compute at a time. Scheduler readings are read before the events
 * (src/analysis/reduce/readings.h). They show whether a thread outside of regions computes or sleeps. A
 * process with one initial thread does not need this: outside of parallel regions only that thread works.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_process_state;
struct analysis_team;

struct analysis_serial *omptape_analysis_serial(struct analysis_state *state,
                                                const struct analysis_region *after,
                                                const struct analysis_region *before);
void omptape_analysis_serial_fork(struct analysis_location *location);
/* Ends a serial part. `forking` is the time at its end needed to begin the region `before`. */
void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before, uint64_t forking);

/* The share (0 to 1) of a thread's time outside of parallel regions since the last reading not asleep. */
struct analysis_reading {
    uint64_t time;
    double awake;
};

/* What an initial thread does outside of teams. */
enum analysis_outside {
    ANALYSIS_OUTSIDE_NOT,  /* in a team, not begun, or ended */
    ANALYSIS_OUTSIDE_WORK, /* computes or sleeps */
    ANALYSIS_OUTSIDE_MPI,  /* in an MPI call */
    ANALYSIS_OUTSIDE_WAITS /* waits for a lock or a device */
};

struct analysis_initial {
    struct analysis_location *location; /* NULL: no event yet */
    uint64_t end;                       /* time of its last event */
    struct analysis_reading *readings;
    uint32_t reading_count;
    uint32_t reading_capacity;
    uint32_t next; /* index of the reading that ends the current interval */
    uint8_t outside;
    bool counted; /* counted as working (analysis_process_state), although it is in no team */
};

struct analysis_initials {
    struct analysis_initial **alive; /* threads that have begun and not ended */
    uint32_t alive_count;
    uint32_t alive_capacity;
    uint64_t until; /* time until which the process is booked */
};

/* Handle the first event of one of several initial threads, a change of its activity, and the booking of
 * the process's time until `time`. They do nothing for other threads. */
void omptape_initial_begin(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_initial_change(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_initial_advance(struct analysis_state *state, struct analysis_location *location, uint64_t time);
/* A team of the process begins or ends, as seen by its first thread. */
void omptape_serial_team(struct analysis_state *state, struct analysis_location *location,
                         const struct analysis_team *team, uint64_t time, bool begins);
