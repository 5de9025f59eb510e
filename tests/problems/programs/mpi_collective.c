/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first process has three times the work of the second before they add up. Mended: both have the same.
//: ranks 2
//: share 0.33
*/
#include "work.h"

#include "ranks.h"

enum { STEPS = 60, MORE = 15000, LESS = 5000 };

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
    double one = 1;
    double sum = 0;

    for (long step = 0; step < steps; step++) {
        if (rank == 0)
            work_parts(step, 0, border);
        else
            work_parts(step, border, MORE + LESS);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* HERE collective_wait */
    }
    return ranks_end();
}
