/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the clocks of the hosts of an MPI program. One process of each host exchanges messages with rank
 * 0, which no other process and no trace sees. This happens at the end of MPI_Init and at the beginning of
 * MPI_Finalize, inside these calls and on their thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_CLOCK_H
#define OMPTAPE_CALLBACKS_MPI_CLOCK_H

#include <omptape/clock_sync.h>

/* Called when MPI has been initialised, on the same thread, by rank `rank` of `size`. Finds the processes
 * with which this one may compare its host's clock. NULL: nobody. Set by src/tool/ before the program runs;
 * waits for seconds at most. */
extern struct omptape_clock_sync *(*omptape_mpi_sync_clocks)(int rank, int size);

/* MPI has been initialised, and has a world. */
void omptape_mpi_clock_begin(void);

/* It is about to be finalised. */
void omptape_mpi_clock_end(void);

#endif
