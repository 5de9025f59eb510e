/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What takes many times as long as its like: one chunk of a loop, one task, one instance of a region, one
 * step of the program. Of each place the durations are counted in bins. The long ones are known once there is
 * a median. Of these the worst is remembered, with its number. A long one counts when the kernel has told
 * that its thread had a processor meanwhile.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_team;

/* So many are needed for a median; one of them is an outlier from so many times the median on. One in so many
 * may be one, at most: what is more frequent is no exception. */
enum { ANALYSIS_OUTLIERS_LEAST = 8, ANALYSIS_OUTLIERS_TIMES = 30, ANALYSIS_OUTLIERS_ONE_IN = 8 };

/* One of them, which may turn out to be long. */
struct analysis_long {
    struct analysis_outliers *of;
    uint64_t ticks;
    uint64_t begin;
    uint64_t end;
    uint64_t number; /* which one, counted from 1; of a chunk its first iteration */
    uint64_t parts;  /* iterations of a chunk; of others 0 */
    double queued;   /* of it the thread had no processor: the share of what the kernel counted, */
    double most;     /* ...and all of what it counted */
};

/* Between two readings the thread had no processor for so long. */
struct analysis_queued {
    uint64_t from;
    uint64_t to;
    double queued;
};

/* Of a thread: durations that may be exceptions, until the kernel tells whether it had a processor. A
 * duration is known when it ends: what the kernel told last is kept for that. */
enum { ANALYSIS_QUEUED_KEPT = 16 };
struct analysis_longs {
    struct analysis_queued told[ANALYSIS_QUEUED_KEPT]; /* the oldest first */
    uint32_t told_count;
    struct analysis_long *list;
    uint32_t count;
    uint32_t room;
    uint64_t forks; /* teams at the top level that the thread forked */
};

/* The durations of one kind at a place. NULL: no memory. */
struct analysis_outliers *omptape_outliers_at(struct analysis_state *state, enum analysis_outlier_kind kind,
                                              const struct analysis_region *region,
                                              const struct analysis_region *before);

/* A thread leaves a construct of which all visits are compared; begins a parallel region at the top level;
 * all have left such an instance, at the end for the thread that came last; a serial part has ended. */
void omptape_outliers_visit(struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_frame *frame, uint64_t time);
void omptape_outliers_step(struct analysis_state *state, struct analysis_location *location,
                           struct analysis_region *region, uint64_t time);
void omptape_outliers_instance(struct analysis_state *state, const struct analysis_team *team, uint64_t ticks,
                               uint64_t end);
void omptape_outliers_task(struct analysis_state *state, struct analysis_location *location,
                           const struct analysis_frame *frame, uint64_t time);
void omptape_outliers_serial(struct analysis_state *state, struct analysis_location *location,
                             const struct analysis_region *before, uint64_t ticks);

/* Between two times the thread waited so long for a processor, as the kernel counted. */
void omptape_outliers_told(struct analysis_state *state, struct analysis_location *location, uint64_t from,
                           uint64_t to, uint64_t queued_ns);
/* The thread ends: what is not known of it will not be. */
void omptape_outliers_end(struct analysis_state *state, struct analysis_location *location);

/* The pass ends: which number was long most often. */
void omptape_outliers_end_pass(struct analysis_state *state);

/* At the end of all: median, number and cost of each place. And of several that tell of the same, as a step
 * and what lies in it, the one that has the reason (findings/outliers.c). */
void omptape_outliers_settle(struct analysis_state *state);
void omptape_outliers_choose(struct analysis_state *state);
