/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases: what the program named itself outside of parallel regions (regions of kind USER), how long it took,
 * and what all threads of its process did meanwhile. A pass belongs to one thread.
 */
#ifndef OMPTAPE_ANALYSIS_PHASES_H
#define OMPTAPE_ANALYSIS_PHASES_H

#include "src/analysis/location.h"

/* The location enters or has left a region of kind USER, and is booked until then. */
void omptape_phases_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          const struct analysis_region *region);
void omptape_phases_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                          struct analysis_region *region, uint64_t begin);

/* The parameter of the region that the location entered last: the number of a step. */
void omptape_phases_number(const struct analysis_state *state, const struct analysis_location *location,
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

/* The nth instance of a phase, which is made if it is not there. NULL: no memory. */
struct analysis_step *omptape_phases_step(struct analysis_state *state, struct analysis_region *region,
                                          uint64_t number);

void omptape_phases_free(struct analysis_process_state *process);

#endif
