/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Distributes counters that were read with a thread's samples (--counters). The difference of two readings is
 * divided among the regions in which the thread worked in between, by their time. It is also added to the
 * function in which the second reading found the thread. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

struct analysis_account;
struct analysis_location;

/* The counters of a thread: the last reading, its difference to the previous one, and the ticks of work
 * since then. `times` is indexed by the regions' numbers. */
struct analysis_counting {
    struct analysis_counts last;
    struct analysis_counts fresh;
    uint64_t fresh_time;
    uint64_t *times;
    uint32_t capacity;
    uint32_t count;
    uint32_t region_capacity;
    struct analysis_region **regions; /* regions with a time */
};

/* Lists the archive's counters in the result. */
void omptape_counted_list(struct analysis_state *state);

/* Adds `spent` ticks of work for this account. The caller checks that the archive has counters. */
void omptape_counted_note(struct analysis_location *location, const struct analysis_account *account,
                          uint64_t spent);

/* Handles a reading of the thread's counters. The caller has booked the thread's time until then. */
void omptape_counted_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event);

/* Returns the difference of the reading at this time to the previous one; NULL if there is none. */
const struct analysis_counts *omptape_counted_at(const struct analysis_location *location, uint64_t time);

void omptape_counted_add(struct analysis_counts *sums, const struct analysis_counts *more);

void omptape_counted_free(struct analysis_location *location);
