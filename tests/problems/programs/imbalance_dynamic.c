/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dynamic schedule of four chunks, the last of which takes longer than the others together. Mended: small
 * chunks.
//: share 0.33
//: scenario dynamic,1@HERE
*/
#include "work.h"

enum { ITEMS = 320, STEPS = 70 };

static long cost(long item)
{
    return item >= ITEMS - ITEMS / 4 ? 250 : 50;
}

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 80)    /* HERE imbalance */
        for (long item = 0; item < ITEMS; item++) /* HERE imbalance: on aarch64 clang names the loop itself */
            keep(work(cost(item), item));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 4)
        for (long item = 0; item < ITEMS; item++)
            keep(work(cost(item), item));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
