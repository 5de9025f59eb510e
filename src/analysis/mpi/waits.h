/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waited for whom between processes, in MPI's messages and collective operations (docs/report.md): a
 * second pass over the events of the threads that call MPI, of all processes together in the order of time.
 * Called once when all processes have been read, since both ends are needed.
 *
 * A call of MPI waits from its begin until the last one of those begins that it depends on: the send of a
 * message that it receives, the receive of one that it sends and cannot get rid of, the others' calls of a
 * collective operation. Memory: what is under way at one time, and what is known of each thread.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_WAITS_H
#define OMPTAPE_ANALYSIS_MPI_WAITS_H

#include "src/analysis/state.h"

/* Adds causes, and each function's waiting, to `state`, which has all processes' sums; without MPI nothing.
 * Reads the archive anew. What cannot be read, or followed since events are missing, is left out, and
 * state->mpi_untold is set; of a profile, in which nobody's messages meet another's, state->mpi_unmet. */
void omptape_mpi_waits(struct analysis_state *state);

#endif
