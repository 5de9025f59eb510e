/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One of 400 iterations takes 400 times as long as the others, and is begun first: two threads need not wait
 * for it, but more would. Mended: it is shared out among many.
 */
#include "work.h"

enum { ITEMS = 400, PARTS = 40, LONG = 3, STEPS = 170 };

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic)        /* HERE outlier: nobody waits for it */
        for (long item = 0; item < ITEMS; item++) /* HERE outlier: on aarch64 clang names the loop itself */
            (void)work(item == LONG ? 100 * PARTS : 10, item);
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic)
        for (long number = 0; number < ITEMS + PARTS - 1; number++) {
            const long item = number < PARTS          ? LONG
                              : number < PARTS + LONG ? number - PARTS
                                                      : number - PARTS + 1;
            (void)work(item == LONG ? 100 : 10, item);
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
