/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender has its result long before it sends it, and the receiver can do nothing until then. Mended: it
 * is sent as soon as it is there.
//: ranks 2
//: share 0.33
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 60, RESULT = 5000, OTHER = 10000 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    int word = 0;

    for (long step = 0; step < steps; step++) {
        if (rank == 0) {
            keep(work(RESULT, step));
            if (run.mended)
                MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            keep(work(OTHER, step));
            if (!run.mended)
                MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE late_sender */
            keep(work(OTHER, -step));
        }
        MPI_Barrier(MPI_COMM_WORLD); /* HERE collective_wait: it ends as much later as it began */
    }
    return ranks_end();
}
