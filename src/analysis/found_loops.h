/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that are found: the first thread of a process begins the same parallel regions and collective
 * operations of MPI again and again. One iteration lasts from a begin of one of these regions to its next.
 * Iterations become steps of a phase (phases.h) of that region; no program named it.
 *
 * A loop is plain if the same regions lie in one iteration after the other: an inner loop counts once,
 * however often it goes round. Iterations are comparable if each region begins in them as often as in most.
 * Memory is bounded by the regions and ANALYSIS_MOST_STEPS; each begin takes constant time, amortized.
 */
#pragma once

#include "src/analysis/location.h"

/* The location, in no team before, begins the region, and is booked until now; and it has ended one. */
void omptape_found_loops_begin(struct analysis_state *state, const struct analysis_location *location,
                               uint64_t time, struct analysis_region *region);
void omptape_found_loops_end(struct analysis_state *state, const struct analysis_location *location,
                             uint64_t time);

/* As omptape_phases_move, which calls it. */
void omptape_found_loops_move(const struct analysis_location *location, enum omptape_bucket from,
                              enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount);

/* All events went by: the loops that are plain become phases of the pass. */
void omptape_found_loops_settle(struct analysis_state *state);

void omptape_found_loops_free(struct analysis_process_state *process);
