/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A barrier ends each phase, as for a timer, and each phase takes longer on another process. Mended: without
 * these barriers.
//: ranks 2
//: proposal as much work
//: share 0.27
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 80, MORE = 8000, LESS = 3000 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        keep(work(rank == 0 ? MORE : LESS, step * 2 + rank));
        if (!run.mended)
            MPI_Barrier(MPI_COMM_WORLD); /* HERE collective_wait */
        keep(work(rank == 0 ? LESS : MORE, -step * 2 - rank));
        if (!run.mended)
            MPI_Barrier(MPI_COMM_WORLD); /* HERE collective_wait: the same in turn */
    }
    return ranks_end();
}
