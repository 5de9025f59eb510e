/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers of MPI's functions (the resulting OTF2 records: docs/mapping.md). The exported names are in a
 * separate library (src/tool/names.c), which is loaded only if the program may use MPI.
 *
 * A call is recorded if the program itself makes it while MPI is in use and a tracing session is open. MPI is
 * in use from MPI_Init to MPI_Finalize, or after the opening of an MPI session. All other calls are only
 * passed on to MPI. These are MPI's internal calls, calls of a signal handler that interrupts another call,
 * and calls of threads without a buffer.
 */
#pragma once

#include "src/mpi/functions.h"

#include <omptape/clock_sync.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Starts the tracing session before MPI_Init and each MPI_Session_init, on any thread, but under a lock
 * (wrappers.c). `*events` receives the events to record (--events). Returns false if there is no session. Set
 * by src/tool/ before the program runs. */
extern bool (*omptape_mpi_start_session)(uint64_t *events);

/* True once the program has called the wrapper of MPI_Init or MPI_Session_init. */
extern atomic_bool omptape_mpi_was_seen;

/* Handles a call of function `number`. `caller` is NULL for MPI's name; for PMPI names the return address.
 * `a` has space for OMPTAPE_MPI_MAX_ARGUMENTS arguments; the call's return address stands before it. */
int omptape_mpi_handle_call(unsigned number, const void *caller, intptr_t *a);

/* Handles a call of the function by its name in Fortran, or in `mpi_f08`. It is recorded only if the binding
 * may do it without a call of C's function. If the binding's function is not found, the error code is set. */
void omptape_mpi_handle_fortran(unsigned number, bool f08, intptr_t *a);

/* The same, for libomptape-mpi.so. */
int omptape_mpi_gate(unsigned number, const void *caller, intptr_t *a);
void omptape_mpi_gate_fortran(unsigned number, bool f08, intptr_t *a);

/* Compares the clocks of the hosts of an MPI program. One process of each host exchanges messages with rank
 * 0, which no other process and no trace sees. This happens at the end of MPI_Init and at the beginning of
 * MPI_Finalize, inside these calls and on their thread. */

/* Finds the processes with which this process, rank `rank` of `size`, compares its host's clock. Returns NULL
 * if there are none. Set by src/tool/ before the program runs; called at the end of MPI_Init on its thread.
 * Waits for seconds at most. */
extern struct omptape_clock_sync *(*omptape_mpi_sync_clocks)(int rank, int size);

/* Called once after MPI_Init has returned and MPI_COMM_WORLD exists. */
void omptape_mpi_clock_begin(void);

/* Called before MPI is finalised. */
void omptape_mpi_clock_end(void);
