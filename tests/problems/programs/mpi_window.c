/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A window is locked while its process works, and the other one waits for it. Mended: it works first.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 60, WORK = 10000 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    int *word;
    int one = 1;
    MPI_Win window;

    MPI_Win_allocate(sizeof(*word), sizeof(*word), MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window);
    for (long step = 0; step < steps; step++) {
        if (run.mended)
            keep(work(WORK, 2 * step + rank));
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* HERE window_wait */
        if (!run.mended)
            keep(work(WORK, 2 * step + rank));
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(0, window);   /* HERE window_wait */
        MPI_Barrier(MPI_COMM_WORLD); /* HERE collective_wait: who was first */
    }
    MPI_Win_free(&window);
    return ranks_end();
}
