/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums phases, which the program names outside of parallel regions (regions of kind USER): their duration,
 * and what all threads of the process did meanwhile. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/location.h"

/* The location enters, or has left, a region of kind USER. The caller has booked its time until then. */
void omptape_phases_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          const struct analysis_region *region);
void omptape_phases_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          struct analysis_region *region, uint64_t begin);

/* Sets the step number from a parameter of the region that the location entered last. */
void omptape_phases_number(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event);

/* Moves `amount` that was booked to bucket `from` between `begin` and `end` to bucket `to`. */
void omptape_phases_move(const struct analysis_location *location, enum omptape_bucket from,
                         enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount);

/* Adds a sample of the working thread with the id of its calling context. */
void omptape_phases_sampled(struct analysis_state *state, const struct analysis_location *location,
                            uint64_t context);

/* Notes in `within` the open phase that contains an activity of the location's process since `begin`. */
void omptape_phases_note(const struct analysis_location *location, uint64_t begin,
                         struct analysis_within *within);

/* Returns the instance of a phase with this key, and creates it if necessary; NULL if out of memory. A step's
 * key consists of its number and how often its process used that number before. Other instances are numbered
 * in the order of their process. */
struct analysis_step *omptape_phases_step(struct analysis_state *state, struct analysis_region *region,
                                          uint64_t key);

/* Records the sums of the location's process until `time`. `moment` is empty or holds an earlier state.
 * `with_threads` also records each thread. */
void omptape_phases_take_moment(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time, bool with_threads, struct analysis_moment *moment);
void omptape_phases_free_moment(struct analysis_moment *moment);

/* As omptape_phases_move, for the sums recorded in one moment. */
void omptape_phases_move_moment(struct analysis_moment *moment, const struct analysis_location *location,
                                enum omptape_bucket from, enum omptape_bucket to, uint64_t begin,
                                uint64_t end, uint64_t amount);

/* Adds sums of a phase to those of its name; its longest instance may be the longest one. */
void omptape_phases_sum(struct analysis_phase *sum, const struct analysis_phase *phase);

/* Returns the process's share in the phases of a name, and creates it if necessary; NULL if out of memory. */
struct analysis_phase_share *omptape_phases_share(struct analysis_state *state,
                                                  const struct analysis_region *region,
                                                  const struct analysis_process *process);

/* Adds sums of a process's phase to those of its name, and to the process's share. */
void omptape_phases_sum_process(struct analysis_state *state, const struct analysis_process *process,
                                struct analysis_phase *sum, const struct analysis_phase *phase);

/* Ends an instance at `to` and adds it to the sums of its name and its step (NULL: none). Later moves
 * update both. Takes ownership of the threads of `closed`. */
void omptape_phases_add(struct analysis_state *state, struct analysis_open_phase *closed,
                        const struct analysis_moment *to, struct analysis_phase *phase,
                        struct analysis_step *step);

void omptape_phases_free(struct analysis_process_state *process);
