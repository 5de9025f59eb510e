/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges split by hand, a third and two thirds, in a region without a construct. Mended: halves.
//: share 0.25
//: scenario even parallel@HERE
*/
#include "work.h"

enum { ITEMS = 300, STEPS = 90 };

static void range(long begin, long end)
{
    for (long item = begin; item < end; item++)
        keep(work(75, item));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long split = run.mended ? ITEMS / 2 : ITEMS / 3;

    for (long step = 0; step < steps; step++) {
#pragma omp parallel num_threads(2) /* HERE imbalance */
        if (omp_get_thread_num() == 0)
            range(0, split);
        else
            range(split, ITEMS);
    }
    return run_end();
}
