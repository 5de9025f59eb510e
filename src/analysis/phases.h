/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases: what the program named itself outside of parallel regions (regions of kind USER), how long it took,
 * and what all threads of its process did meanwhile. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/location.h"

/* The location enters or has left a region of kind USER, and is booked until then. */
void omptape_phases_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          const struct analysis_region *region);
void omptape_phases_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          struct analysis_region *region, uint64_t begin);

/* The parameter of the region that the location entered last: the number of a step. */
void omptape_phases_number(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event);

/* What was booked to one bucket from `begin` to `end` belongs to another one, as it turns out now. */
void omptape_phases_move(const struct analysis_location *location, enum omptape_bucket from,
                         enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount);

/* A sample of the thread, at work, in this calling context (id). */
void omptape_phases_sampled(struct analysis_state *state, const struct analysis_location *location,
                            uint64_t context);

/* Something of the location's process that began at `begin` goes on or ends now: in which phase it is. */
void omptape_phases_note(const struct analysis_location *location, uint64_t begin,
                         struct analysis_within *within);

/* The instance of a phase with this key, which is made if it is not there. The key of a step is its number, and
 * how often its process had that before. Others go by their order in the process. NULL: no memory. */
struct analysis_step *omptape_phases_step(struct analysis_state *state, struct analysis_region *region,
                                          uint64_t key);

/* What the location's process has done until now, for an instance that begins or ends. The moment is empty,
 * or holds an earlier one; `with_threads`: what each thread did, too. */
void omptape_phases_take_moment(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time, bool with_threads, struct analysis_moment *moment);
void omptape_phases_free_moment(struct analysis_moment *moment);

/* The same as omptape_phases_move, of what was done until one moment. */
void omptape_phases_move_moment(struct analysis_moment *moment, const struct analysis_location *location,
                                enum omptape_bucket from, enum omptape_bucket to, uint64_t begin,
                                uint64_t end, uint64_t amount);

/* The phase's instance ends there. It is added to the sums of its name and, if that is not NULL, to those of
 * its step. What turns out later is moved in both. Takes the threads of `closed`. */
void omptape_phases_add(struct analysis_state *state, struct analysis_open_phase *closed,
                        const struct analysis_moment *to, struct analysis_phase *phase,
                        struct analysis_step *step);

void omptape_phases_free(struct analysis_process_state *process);
