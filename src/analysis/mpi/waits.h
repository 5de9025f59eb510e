/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process waited for which one, in MPI's messages and collective operations (docs/report.md). This is a
 * second pass over the events of the threads that call MPI, of all processes together in the order of time.
 * It runs once when all processes have been read, since both ends are needed.
 *
 * A call of MPI waits from its begin until the last begin that it depends on. For a receive this is the send
 * of the message; for a send that cannot be buffered, the receive; for a collective operation, the calls of
 * the others. Memory is proportional to what is under way at one time, and to the number of threads.
 */
#pragma once

#include "src/analysis/state.h"

/* Adds causes, and each function's waiting, to `state`, which has all processes' sums; without MPI nothing.
 * Reads the archive anew. What cannot be read, or followed since events are missing, is left out, and
 * state->mpi_untold is set; of a profile, in which nobody's messages meet another's, state->mpi_unmet. */
void omptape_mpi_waits(struct analysis_state *state);
