/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that sends messages round and then does not end as it should: after so many rounds rank 1 calls
 * MPI_Abort (for itself alone), ends without MPI_Finalize or kills itself, or all ranks leave without
 * MPI_Finalize. Usage: ends abort|self|exit|_exit|return|kill|leave|end ROUNDS
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, in, out = 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < rounds; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 1 && strcmp(argv[1], "self") == 0)
        MPI_Abort(MPI_COMM_SELF, 5);
    if (rank == 1 && strcmp(argv[1], "exit") == 0)
        exit(5);
    if (rank == 1 && strcmp(argv[1], "_exit") == 0)
        _exit(5);
    if (rank == 1 && strcmp(argv[1], "return") == 0)
        return 5;
    if (rank == 1 && strcmp(argv[1], "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(argv[1], "leave") == 0)
        _exit(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
