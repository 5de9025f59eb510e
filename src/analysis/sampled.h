/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads were when they were sampled: for each construct and each line of a function how many samples
 * there are. A pass belongs to one thread.
 */
#ifndef OMPTAPE_ANALYSIS_SAMPLED_H
#define OMPTAPE_ANALYSIS_SAMPLED_H

#include "src/analysis/location.h"

/* A sample of the location's thread. */
void omptape_sampled_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event);

/* The sum of the construct (NULL: none) and a place: its source code location << 32 and the region that is
 * its function. NULL: they are not defined, or no memory. */
struct analysis_sampled *omptape_sampled_at(struct analysis_state *state, struct analysis_region *region,
                                            uint64_t place);

#endif
