/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time between two parallel regions in which only one thread of the process goes on.
 *
 * Of a process with several initial threads it is known what each does outside of parallel regions, and how
 * many of them compute at a moment. The kernel's readings are read before the events
 * (src/analysis/reduce/readings.h). They tell whether a thread that is in no region computes or sleeps. A
 * process with one initial thread has none of this: outside of parallel regions that thread is alone.
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
void omptape_analysis_serial_fork(struct analysis_state *state, struct analysis_location *location);
/* `forking`: so much of the end of the stretch the runtime needed to begin the region `before`. */
void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before, uint64_t forking);

/* Of the time outside of parallel regions since the reading before, the share in which the thread ran or
 * wanted a processor: 0 to 1. */
struct analysis_reading {
    uint64_t time;
    double awake;
};

/* What an initial thread does that is in no team. */
enum analysis_outside {
    ANALYSIS_OUTSIDE_NOT,  /* it is in a team, or it has not begun, or has ended */
    ANALYSIS_OUTSIDE_WORK, /* it computes, or sleeps */
    ANALYSIS_OUTSIDE_MPI,  /* it is in a call of MPI */
    ANALYSIS_OUTSIDE_WAITS /* for a lock or a device */
};

struct analysis_initial {
    struct analysis_location *location; /* NULL: it had no event so far */
    uint64_t end;                       /* time of its last event */
    struct analysis_reading *readings;
    uint32_t reading_count;
    uint32_t reading_room;
    uint32_t next; /* the reading that ends the time of now */
    uint8_t outside;
    bool counted; /* among the threads at work (analysis_process_state) though it is in no team */
};

struct analysis_initials {
    struct analysis_initial **alive; /* those that have begun and not ended */
    uint32_t alive_count;
    uint32_t alive_room;
    uint64_t until; /* the process's time is booked until then */
};

/* The location, which is an initial thread of a process with several, has its first event; it has changed
 * what it does; its process's time until `time` is booked. Nothing for all other threads. */
void omptape_initial_begin(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_initial_change(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_initial_advance(struct analysis_state *state, struct analysis_location *location, uint64_t time);
/* A team of the process begins or ends, as its first thread sees it. */
void omptape_serial_team(struct analysis_state *state, struct analysis_location *location,
                         const struct analysis_team *team, uint64_t time, bool begins);
