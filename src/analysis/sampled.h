/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads were when they were sampled: for each construct or serial part and each calling context how
 * many samples there are. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

struct analysis_location;

/* Samples in the serial part that goes on: calling contexts; and what was counted in some. */
struct analysis_kept_counts {
    uint32_t context;
    struct analysis_counts counts;
};
struct analysis_kept_samples {
    uint32_t *contexts;
    uint32_t count;
    uint32_t room;
    struct analysis_kept_counts *counted;
    uint32_t counted_count;
    uint32_t counted_room;
};

/* A sample of the location's thread, which OpenMP knows; and of one that it does not know. */
void omptape_sampled_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event);

void omptape_sampled_event_of_other(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);

/* What the reading at this time counted was counted in that calling context. */
void omptape_sampled_count(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t context);

/* The serial part that goes on ends: its samples are known to be of this one. NULL: of none. */
void omptape_sampled_end_serial(struct analysis_state *state, struct analysis_location *location,
                                const struct analysis_serial *serial);

/* The sums of a calling context, by its number: in the construct (NULL: none) or in the serial part, or at
 * another thread's location (omptape_location_is_other). NULL: it is not defined, or no memory. */
struct analysis_sampled *omptape_sampled_in_region(struct analysis_state *state,
                                                   struct analysis_region *region, uint64_t context);
struct analysis_sampled *omptape_sampled_in_serial(struct analysis_state *state,
                                                   const struct analysis_serial *serial, uint64_t context);
struct analysis_sampled *omptape_sampled_in_other(struct analysis_state *state, uint64_t location,
                                                  uint64_t context);

/* When all passes are added up: lists the sums, and tells looks at blocked threads from samples. False: no
 * memory. */
bool omptape_sampled_settle(struct analysis_state *state);
