/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads that each open a region of one thread, of unequal work: the outer barrier waits for
 * the later one.
 * Mended: of equal work.
//: environment OMP_MAX_ACTIVE_LEVELS=2
//: share 0.33
//: scenario even parallel@HERE
*/
#include "work.h"

enum { BLOCKS = 40, STEPS = 50 };

APART void solve(long begin, long end)
{
#pragma omp parallel for num_threads(1) schedule(static) /* HERE nested_wait */
    for (long block = begin; block < end; block++)
        keep(work(1000, block));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long split = run.mended ? BLOCKS / 2 : BLOCKS / 4;

#pragma omp parallel num_threads(2)
    for (long step = 0; step < steps; step++) {
        if (omp_get_thread_num() == 0)
            solve(0, split);
        else
            solve(split, BLOCKS);
#pragma omp barrier
    }
    return run_end();
}
