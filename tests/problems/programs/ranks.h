/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs of two MPI processes share. After work.h.
 */
#pragma once

#include <mpi.h>

static int rank;

/* The form that the process is to run. Ends with ranks_end. */
static inline struct run ranks_begin(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return run_begin(argc, argv);
}

/* The first process prints the sum of both. */
static inline int ranks_end(void)
{
    uint64_t sum = 0;

    MPI_Reduce(&total, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%016llx\n", (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
