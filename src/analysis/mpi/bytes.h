/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process sends and gets by MPI, by the function that it calls (struct analysis_mpi). Who waited for
 * whom is found when all processes have been read (waits.h). Called by the pass.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_BYTES_H
#define OMPTAPE_ANALYSIS_MPI_BYTES_H

#include "src/analysis/state.h"

/* A message or a collective operation. */
void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event);

#endif
