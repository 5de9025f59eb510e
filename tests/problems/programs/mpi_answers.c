/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes ask a third one for each piece of work. To find a piece takes longer than to do it. Mended:
 * it finds ten pieces at a time, as fast as one.
//: ranks 3
//: proposal more work in each answer
*/
#include "work.h"

#include "ranks.h"

enum { PIECES = 1200, FIND = 1000, WORK = 300, MENDED_PIECES = 10 };

static void find(long pieces, long each)
{
    int ended = 0;
    int size;
    MPI_Status status;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long next = 0; ended < size - 1; next += each) {
        long first = next < pieces ? next : -1;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (first >= 0)
            work(FIND, first);
        MPI_Send(&first, 1, MPI_LONG, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
        ended += first < 0;
    }
}

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    const long each = run.mended ? MENDED_PIECES : 1;
    long first = 0;

    if (rank == 0)
        find(run_scaled(&run, PIECES), each);
    while (rank > 0 && first >= 0) {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&first, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE late_sender */
        for (long i = 0; first >= 0 && i < each; i++)
            keep(work(WORK, -first - i));
    }
    return ranks_end();
}
