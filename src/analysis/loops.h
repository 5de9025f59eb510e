/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops: schedule, chunks and iterations of each thread, and who was late.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_team;
struct analysis_barrier;

/* Of a static loop's chunks those after a thread's first, which are not reported. */
struct analysis_rounds {
    uint64_t chunks;
    uint64_t iterations;
};

/* The loop that a thread entered last. */
struct analysis_loop_now {
    uint64_t iterations; /* of all threads */
    uint64_t chunks;     /* that were reported */
    struct analysis_rounds rounds;
};

/* A thread has done an iteration of a doacross loop, or waited for one. */
void omptape_analysis_turn(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event);
void omptape_analysis_loop_schedule(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);
/* The thread has entered a loop, or a chunk or section of one. */
void omptape_analysis_loop_enter(struct analysis_state *state, struct analysis_location *location,
                                 const struct omptape_event *event);
void omptape_analysis_loop_done(struct analysis_state *state, struct analysis_team *team,
                                const struct analysis_barrier *barrier);
/* Its iterations were shared out before it began; or nobody said how. */
bool omptape_loop_is_static(const struct analysis_loop *loop);
void omptape_analysis_loop_name_schedule(struct analysis_state *state, struct analysis_loop *loop);
/* At the end of a pass: makes a table of their threads. */
void omptape_analysis_loops_end(struct analysis_state *state);
/* At the end of all, of each: its threads, who was late, and why. */
void omptape_analysis_loops_settle(struct analysis_state *state);
