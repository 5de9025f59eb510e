/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated MPI between processes of the simulated runtime (runtime.h): messages that are sent at once, and
 * collective operations that end for all together. For a process's main thread. Call sites are those of these
 * calls.
 */
#pragma once

#include "tests/simulate/runtime.h"

#include <stdint.h>

/* So many processes are there, before any begins. */
void mpi_prepare(unsigned size);

void mpi_init(void) OMP_CALL("MPI_Init");
void mpi_finalize(void) OMP_CALL("MPI_Finalize");
unsigned mpi_rank(void);
unsigned mpi_size(void);
void mpi_send(unsigned receiver, uint64_t bytes) OMP_CALL("MPI_Send");
void mpi_receive(unsigned sender, uint64_t bytes) OMP_CALL("MPI_Recv");
void mpi_allreduce(uint64_t bytes) OMP_CALL("MPI_Allreduce");
