/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where functions of MPI's are called. Their regions are one for each function, as readers of OTF2 know them;
 * the place hangs on the Enter as another region, which nobody enters (docs/mapping.md). The analysis takes
 * that one for the call's, so that all it tells is told by place. Used by the pass, by waits.c, and where
 * events are exported.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_SITES_H
#define OMPTAPE_ANALYSIS_MPI_SITES_H

#include "src/reader/reader.h"

struct analysis_location;
struct analysis_region;
struct analysis_state;

/* What the event of a region of MPI's enters or leaves: `function`, or a place where that is called. */
struct analysis_region *omptape_analysis_mpi_call(struct analysis_state *state,
                                                  const struct analysis_location *location,
                                                  const struct omptape_event *event,
                                                  struct analysis_region *function);

#endif
