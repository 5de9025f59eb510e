/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the clocks of the hosts of an MPI program. One process of each host exchanges messages with rank
 * 0, which no other process and no trace sees. This happens at the end of MPI_Init and at the beginning of
 * MPI_Finalize, inside these calls and on their thread.
 */
#pragma once

#include <omptape/clock_sync.h>

/* Finds the processes with which this process, rank `rank` of `size`, compares its host's clock. Returns NULL
 * if there are none. Set by src/tool/ before the program runs; called at the end of MPI_Init on its thread.
 * Waits for seconds at most. */
extern struct omptape_clock_sync *(*omptape_mpi_sync_clocks)(int rank, int size);

/* Called once after MPI_Init has returned and MPI_COMM_WORLD exists. */
void omptape_mpi_clock_begin(void);

/* Called before MPI is finalised. */
void omptape_mpi_clock_end(void);
