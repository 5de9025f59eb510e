/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops: their schedule, chunks, iterations per thread, and slow threads.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_team;
struct analysis_barrier;

/* Chunks of a static loop after a thread's first one; LLVM does not report them. */
struct analysis_rounds {
    uint64_t chunks;
    uint64_t iterations;
};

/* The loop that a thread entered last. */
struct analysis_current_loop {
    uint64_t iterations; /* of all threads */
    uint64_t chunks;     /* number of reported chunks */
    struct analysis_rounds rounds;
};

/* A thread has completed an iteration of a doacross loop, or waited for one. */
void omptape_analysis_turn(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event);
void omptape_analysis_loop_schedule(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);
/* The thread has entered a loop, or a chunk or section of one. */
void omptape_analysis_loop_enter(struct analysis_state *state, struct analysis_location *location,
                                 const struct omptape_event *event);
void omptape_analysis_loop_done(struct analysis_state *state, struct analysis_team *team,
                                const struct analysis_barrier *barrier);
/* Returns true if the schedule is static, or unknown and no thread took more than one chunk on average. */
bool omptape_loop_is_static(const struct analysis_loop *loop);
void omptape_analysis_loop_name_schedule(struct analysis_state *state, struct analysis_loop *loop);
/* Stores the threads' sums of each loop in a table at the end of a pass. */
void omptape_analysis_loops_end(struct analysis_state *state);
/* Sets each loop's threads, slowest thread and reason after all passes are summed. */
void omptape_analysis_loops_finish(struct analysis_state *state);
