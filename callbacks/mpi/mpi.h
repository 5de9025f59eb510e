/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's functions between the program and MPI (OTF2's records of them: docs/mapping.md). The names are in a
 * library of their own (src/tool/names.c), which is loaded only where MPI may be.
 *
 * A call is recorded between MPI_Init and MPI_Finalize, if it is the program's own and there is a session.
 * All others go on to MPI untouched: MPI's own, those of a signal handler that interrupts one, those from a
 * thread that has no buffer.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_MPI_H
#define OMPTAPE_CALLBACKS_MPI_MPI_H

#include "src/mpi/functions.h"

#include <stdbool.h>

/* Called before MPI is initialised, on the thread that does it: there is to be a session. False: there is
 * none. Set by src/tool/ before the program runs. */
extern bool (*omptape_mpi_start_session)(void);

/* Two for each function: for MPI_X, and for PMPI_X. */
typedef void omptape_mpi_address(void);
extern omptape_mpi_address *const omptape_mpi_wrappers[2 * OMPTAPE_MPI_FUNCTIONS];

/* The same, for libomptape-mpi.so. */
extern omptape_mpi_address *const *const omptape_mpi_table;

#endif
