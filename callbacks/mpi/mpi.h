/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's functions between the program and MPI (OTF2's records of them: docs/mapping.md). The names are in a
 * library of their own (src/tool/names.c), which is loaded only where MPI may be.
 *
 * A call is recorded between MPI_Init and MPI_Finalize, or from the opening of a session of MPI's on, if it
 * is the program's own and there is a session of ours. All others go on to MPI untouched: MPI's own, those of
 * a signal handler that interrupts one, those from a thread that has no buffer.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_MPI_H
#define OMPTAPE_CALLBACKS_MPI_MPI_H

#include "src/mpi/functions.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Called before MPI_Init, and before each MPI_Session_init, on any thread, but one at a time (wrappers.c
 * holds a lock): there is to be a session of ours. Tells what of --events is to be recorded. False: there is
 * none. Set by src/tool/ before the program runs. */
extern bool (*omptape_mpi_start_session)(uint64_t *events);

/* The program has called MPI_Init, or MPI_Session_init, by a name of ours. */
extern atomic_bool omptape_mpi_was_seen;

/* A call of the function of this number: by MPI's name (`caller` NULL), or by PMPI's. All arguments are
 * there, and room for OMPTAPE_MPI_MOST_ARGUMENTS; the return address of the call is in front of them. */
int omptape_mpi_take_call(unsigned number, const void *caller, intptr_t *a);

/* The same, for libomptape-mpi.so. */
int omptape_mpi_gate(unsigned number, const void *caller, intptr_t *a);

#endif
