/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detects loops: the first thread of a process repeatedly begins the same parallel regions and collective MPI
 * operations. One iteration lasts from one begin of such a region to its next begin. Iterations become steps
 * of a phase (phases.h) of that region, although the program did not name it.
 *
 * A loop is regular if successive iterations contain the same regions; an inner loop counts once, however
 * many iterations it has. Iterations are comparable if each region begins in them as often as in most
 * iterations. Memory is bounded by the regions and ANALYSIS_MAX_STEPS; a begin takes amortised constant time.
 */
#pragma once

#include "src/analysis/location.h"

/* Called when the location begins the region while it is in no team, and when the region has ended. The
 * caller has booked its time. */
void omptape_detected_loops_begin(struct analysis_state *state, const struct analysis_location *location,
                                  uint64_t time, struct analysis_region *region);
void omptape_detected_loops_end(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time);

/* As omptape_phases_move, which calls it. */
void omptape_detected_loops_move(const struct analysis_location *location, enum omptape_bucket from,
                                 enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount);

/* Called after all events: turns the regular loops into phases of the pass. */
void omptape_detected_loops_add_phases(struct analysis_state *state);

void omptape_detected_loops_free(struct analysis_process_state *process);
