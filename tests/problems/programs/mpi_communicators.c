/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes divide themselves into groups in each step, always in the same way. Mended: once.
//: ranks 2
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 8000, WORK = 100 };

int main(int argc, char **argv)
{
    struct run run = ranks_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    MPI_Comm group = MPI_COMM_NULL;

    for (long step = 0; step < steps; step++) {
        keep(work(WORK, 2 * step + rank));
        if (!run.mended || step == 0)
            MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &group); /* HERE repeated_creation */
        MPI_Barrier(group);
        if (!run.mended || step == steps - 1)
            MPI_Comm_free(&group);
    }
    return ranks_end();
}
