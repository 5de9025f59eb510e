/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time between two parallel regions in which only the initial thread goes on.
 */
#ifndef OMPTAPE_ANALYSIS_SERIAL_H
#define OMPTAPE_ANALYSIS_SERIAL_H

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;

struct analysis_serial *omptape_analysis_serial(struct analysis_state *state,
                                                const struct analysis_region *after,
                                                const struct analysis_region *before);
void omptape_analysis_serial_fork(struct analysis_state *state, struct analysis_location *location);
void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before);

#endif
