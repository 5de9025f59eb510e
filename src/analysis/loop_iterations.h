/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterations of one detected loop (detected_loops.h) and their sums. detected_loops.c decides when an
 * iteration begins and ends. A pass belongs to one thread. Memory that is exhausted sets the flag of
 * src/core/memory.h.
 */
#pragma once

#include "src/analysis/phases.h"

/* A begin of a region. */
struct analysis_region_begin {
    uint64_t number;      /* index among all begins of the process, from 1 */
    uint64_t time;        /* ticks */
    uint64_t counts_hash; /* sum of the keys of all earlier begins */
};

/* An iteration that is kept as a step. The arena owns the step. */
struct analysis_iteration {
    struct analysis_step *step;
    uint64_t counts_hash; /* identifies which regions began, and how often */
    bool is_complete;     /* it contains all usual regions */
};

struct analysis_loop_candidate;

/* A loop of one process. It owns its list and its moments. */
struct analysis_detected_loop {
    struct analysis_loop_candidate *candidate; /* the region with which its iterations begin */
    struct analysis_phase phase;               /* sums of the iterations */
    struct analysis_iteration *list;
    uint32_t kept; /* iterations in `list`: the first ones */
    uint32_t capacity;
    uint64_t count; /* iterations so far, including those outside of the analysed range */
    uint64_t alike; /* iterations with the usual sequence */
    uint64_t sequence_hash;
    uint64_t begins;            /* number of begins in the last iteration with that sequence */
    uint64_t usual_counts_hash; /* most frequent counts_hash, by majority vote */
    uint64_t votes;
    struct analysis_region_begin first; /* begin of the first iteration */
    struct analysis_region_begin from;  /* begin of the current iteration */
    struct analysis_moment begin;       /* state of the process at that begin */
    struct analysis_moment complete;    /* state when all usual regions had ended */
    bool is_complete;
    uint64_t complete_number; /* index of the last begin in `complete` */
    bool is_over;             /* it is no longer regular */
};

/* Returns true if the next iteration is kept as a step. */
static inline bool omptape_loop_keeps_next(const struct analysis_detected_loop *loop)
{
    return loop->kept < ANALYSIS_MAX_STEPS;
}

/* Finds by majority vote how often each region usually begins in an iteration (`usual_counts_hash`). */
void omptape_loop_vote(struct analysis_detected_loop *loop, uint64_t counts_hash);

/* Adds an iteration of the location's process and keeps it. Its parts are known only if both moments contain
 * the threads. Otherwise only its time is added. */
void omptape_loop_add_iteration(struct analysis_state *state, const struct analysis_location *location,
                                struct analysis_detected_loop *loop, const struct analysis_moment *from,
                                const struct analysis_moment *to, uint64_t counts_hash, bool is_complete);

/* Counts an iteration until `time` after the last kept one: its duration, and the parts of several. */
void omptape_loop_count_iteration(struct analysis_state *state, const struct analysis_location *location,
                                  struct analysis_detected_loop *loop, uint64_t time);

/* Drops the iterations after the last complete one: the loop has ended, and its region is used once more. */
void omptape_loop_drop_incomplete(struct analysis_detected_loop *loop);

/* Adds the loop to the phase of all processes, and each kept iteration to the step with its number. */
void omptape_loop_add_to_phases(struct analysis_state *state, const struct analysis_process *process,
                                const struct analysis_detected_loop *loop);
