/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts samples of threads by construct or serial part and by calling context. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

struct analysis_location;

/* Calling contexts of samples in the open serial part, and the counters of some of them. */
struct analysis_kept_counts {
    uint32_t context;
    struct analysis_counts counts;
};
struct analysis_kept_samples {
    uint32_t *contexts;
    uint32_t count;
    uint32_t capacity;
    struct analysis_kept_counts *counted;
    uint32_t counted_count;
    uint32_t counted_capacity;
};

/* Handles a sample of a thread that OpenMP knows, and of a thread that OpenMP does not know. */
void omptape_sampled_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event);

void omptape_sampled_event_of_other(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);

/* Adds the counters of the reading at this time to the calling context. */
void omptape_sampled_count(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t context);

/* Assigns the kept samples to this serial part when it ends. NULL: to none. */
void omptape_sampled_end_serial(struct analysis_state *state, struct analysis_location *location,
                                const struct analysis_serial *serial);

/* Returns the sums of a calling context in a construct (NULL: none), in a serial part, or on the location of
 * another thread (omptape_location_is_other). Returns NULL if the context is not defined or memory is
 * exhausted. */
struct analysis_sampled *omptape_sampled_in_region(struct analysis_state *state,
                                                   struct analysis_region *region, uint64_t context);
struct analysis_sampled *omptape_sampled_in_serial(struct analysis_state *state,
                                                   const struct analysis_serial *serial, uint64_t context);
struct analysis_sampled *omptape_sampled_in_other(struct analysis_state *state, uint64_t location,
                                                  uint64_t context);

/* Lists the sums after all passes, and separates observations of blocked threads from samples. Returns false
 * if out of memory. */
bool omptape_sampled_finish(struct analysis_state *state);
