/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers are put into the other process's window one by one, each with a fence. Mended: all at
 * once.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 40, WORK = 5000, NUMBERS = 5000 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    double out[NUMBERS] = {0};
    double *shared;
    MPI_Win window;

    MPI_Win_allocate(sizeof(out), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Win_fence(0, window);
    for (long step = 0; step < steps; step++) {
        keep(work(WORK, 2 * step + rank));
        const int each = run.mended ? NUMBERS : 1;
        for (int i = 0; i < NUMBERS; i += each) {
            MPI_Put(&out[i], each, MPI_DOUBLE, !rank, i, each, MPI_DOUBLE, window); /* HERE small_messages */
            MPI_Win_fence(0, window);
        }
    }
    MPI_Win_free(&window);
    return ranks_end();
}
