/* SPDX-License-Identifier: BSD-3-Clause
 *
 * More is sent than MPI keeps, and the receiver works before it receives. Mended: it receives first.
//: ranks 2
//: share 0.5
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 60, WORK = 10000, WORDS = 1 << 20 };

static int words[WORDS];

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        if (rank == 0) {
            MPI_Send(words, WORDS, MPI_INT, 1, 0, MPI_COMM_WORLD); /* HERE late_receiver */
            keep(work(WORK, step));
        } else {
            if (!run.mended)
                keep(work(WORK, -step));
            MPI_Recv(words, WORDS, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (run.mended)
                keep(work(WORK, -step));
        }
        MPI_Barrier(
            MPI_COMM_WORLD); /* HERE collective_wait: the receiver waits as long for the sender's work */
    }
    return ranks_end();
}
