/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places of MPI's calls (sites.h).
 */
#include "src/analysis/mpi/sites.h"

#include "src/analysis/location.h"
#include "src/analysis/state.h"
#include "src/reader/regions.h"

struct analysis_region *omptape_analysis_mpi_call(struct analysis_state *state,
                                                  const struct analysis_location *location,
                                                  const struct omptape_event *event,
                                                  struct analysis_region *function)
{
    if (event->kind == OMPTAPE_EVENT_ENTER) {
        const uint64_t call = omptape_event_call_region(state->reader, event);
        return call == function->definition->id ? function : omptape_analysis_region(state, call);
    }
    for (uint32_t i = location->replay.depth; i-- > 0;)
        if (analysis_frames(location)[i].region->kind == OMPTAPE_REGION_MPI)
            return analysis_frames(location)[i].region;
    return function;
}
