/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One of 400 iterations takes 400 times as long as the others, and is begun near the end. Mended: it is the
 * first.
//: share 0.32
*/
#include "work.h"

enum { ITEMS = 400, LONG = 377, STEPS = 170 };

static long cost(long item)
{
    return item == LONG ? 4000 : 10;
}

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic)        /* HERE outlier */
        for (long item = 0; item < ITEMS; item++) /* HERE outlier: on aarch64 clang names the loop itself */
            keep(work(cost(item), item));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic)
        for (long number = 0; number < ITEMS; number++) {
            long item = (number + LONG) % ITEMS;
            keep(work(cost(item), item));
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
