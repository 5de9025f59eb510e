/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's processes that left no trace: they have places in the communicators, and no location. Called once by
 * waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_ABSENT_H
#define OMPTAPE_ANALYSIS_MPI_ABSENT_H

#include "src/analysis/state.h"

/* Sets state->result->absent: ranks of each MPI_COMM_WORLD, and how many others communicators have. */
void omptape_mpi_find_absent(struct analysis_state *state);

#endif
