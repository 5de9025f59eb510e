/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The heavy half changes from one thread to the other each step: over the run both compute the same. Mended:
 * dynamic.
//: share 0.33
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ITEMS = 200, STEPS = 90 };

static long cost(long step, long item)
{
    return (item < ITEMS / 2) == (step % 2 == 0) ? 150 : 50;
}

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE imbalance */
        for (long item = 0; item < ITEMS; item++)
            keep(work(cost(step, item), item));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 5)
        for (long item = 0; item < ITEMS; item++)
            keep(work(cost(step, item), item));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
