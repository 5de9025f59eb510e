/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender has twice the work of the receiver. Mended: both have the same.
//: ranks 2
//: share 0.25
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 50, MORE = 20000, LESS = 10000 };

static void work_parts(long step, long first, long end)
{
    for (long part = first; part < end; part += 1000)
        keep(work(1000, step * (MORE + LESS) + part));
}

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long border = run.mended ? (MORE + LESS) / 2 : MORE;
    int word = 0;

    for (long step = 0; step < steps; step++) {
        if (rank == 0) {
            work_parts(step, 0, border);
            MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            work_parts(step, border, MORE + LESS);
            MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE late_sender */
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return ranks_end();
}
