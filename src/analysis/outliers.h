/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds outliers: durations that are many times as long as others of the same kind. The kinds are chunks of a
 * loop, tasks, instances of a region, and steps of the program. The durations of each place are counted in
 * bins. Once a median is known, long durations are candidates, and the longest one is kept with its number. A
 * candidate counts once a scheduler reading has shown that its thread had a processor.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_team;

/* MIN_COUNT durations are needed for a median. A duration of MEDIANS medians is an outlier. At most one in
 * ONE_IN durations may be an outlier; otherwise none is. */
enum { ANALYSIS_OUTLIERS_MIN_COUNT = 8, ANALYSIS_OUTLIERS_MEDIANS = 30, ANALYSIS_OUTLIERS_ONE_IN = 8 };

/* A candidate: a duration that may be an outlier. */
struct analysis_outlier_candidate {
    struct analysis_outliers *outliers;
    uint64_t ticks;
    uint64_t begin;
    uint64_t end;
    uint64_t number; /* index from 1; for a chunk its first iteration */
    uint64_t parts;  /* iterations of a chunk; else 0 */
    uint64_t work;   /* of an instance: thread time of its members' work; else 0 */
    uint64_t useful; /* of an instance: the same divided by its threads; else 0 */
    /* Estimated ticks without a processor: proportional to its part of the readings' intervals. */
    double queued;
    double max_queued; /* largest possible ticks without a processor */
};

/* Ticks without a processor between two readings. */
struct analysis_queued_interval {
    uint64_t from;
    uint64_t to;
    double queued;
};

/* Candidates of a thread, kept until a reading shows whether the thread had a processor. The last readings
 * are kept, because a duration is only known at its end. */
enum { ANALYSIS_QUEUED_INTERVALS = 16 };
struct analysis_outlier_candidates {
    struct analysis_queued_interval queued[ANALYSIS_QUEUED_INTERVALS]; /* oldest first */
    uint32_t queued_count;
    struct analysis_outlier_candidate *list;
    uint32_t count;
    uint32_t capacity;
    uint64_t forks; /* teams at the top level that the thread forked */
};

/* An entry's key has the nesting above the kind. */
enum { ANALYSIS_OUTLIER_KIND_BITS = 8 };

/* Returns the durations of one kind at a place, and creates the entry if necessary; NULL if out of memory.
 * `nesting`: teams around an instance; else 0. */
struct analysis_outliers *omptape_outliers_at(struct analysis_state *state, enum analysis_outlier_kind kind,
                                              uint16_t nesting, const struct analysis_region *region,
                                              const struct analysis_region *before);

/* Each of these adds a duration. The first two are called when a thread leaves a timed construct or begins a
 * parallel region at the top level. The others are called at the end of a region's instance (all members have
 * left), a task and a serial part. */
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

/* Handles a reading: between `from` and `to` the thread waited `queued_ns` for a processor. */
void omptape_outliers_reading(struct analysis_state *state, struct analysis_location *location, uint64_t from,
                              uint64_t to, uint64_t queued_ns);
/* Decides the remaining candidates at the end of the thread. */
void omptape_outliers_end(struct analysis_state *state, struct analysis_location *location);

/* Determines at the end of a pass which number was long most often. */
void omptape_outliers_end_pass(struct analysis_state *state);

/* Computes median, number and cost of each place after all passes. The second (findings/outliers.c) keeps one
 * place if several explain the same outliers, such as a step and a region in it. */
void omptape_outliers_finish(struct analysis_state *state);
void omptape_outliers_choose(struct analysis_state *state);
