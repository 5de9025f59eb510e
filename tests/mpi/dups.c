/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and frees so many communicators of all ranks. One of rank 0's own comes first: then the ranks number
 * them differently. Usage: dups ROUNDS
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10 && rank == 0; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return 0;
}
