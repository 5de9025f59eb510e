/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters that were read with a thread's samples (--counters). What was counted between two readings is
 * shared out among the regions in which the thread worked meanwhile, by their time. It belongs to the
 * function in which the second reading found the thread. A pass belongs to one thread.
 */
#pragma once

#include "src/analysis/state.h"

struct analysis_account;
struct analysis_location;

/* A thread's counters: at the last reading, what was counted until that since the one before, and the ticks
 * of work since then, by the numbers of their regions. */
struct analysis_counting {
    struct analysis_counts last;
    struct analysis_counts fresh;
    uint64_t fresh_time;
    uint64_t *times;
    uint32_t room;
    uint32_t count;
    uint32_t region_room;
    struct analysis_region **regions; /* that have some */
};

/* Lists the archive's counters in the result. */
void omptape_counted_list(struct analysis_state *state);

/* The thread worked for so long, for this account. To be called only if there are counters. */
void omptape_counted_note(struct analysis_location *location, const struct analysis_account *account,
                          uint64_t spent);

/* A reading of the thread's counters; its time is booked until then. */
void omptape_counted_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event);

/* What the reading at this time counted since the one before. NULL: there is none. */
const struct analysis_counts *omptape_counted_at(const struct analysis_location *location, uint64_t time);

void omptape_counted_add(struct analysis_counts *sums, const struct analysis_counts *more);

void omptape_counted_free(struct analysis_location *location);
