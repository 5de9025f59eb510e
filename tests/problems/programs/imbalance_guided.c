/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The costly iterations come first, where a guided schedule has its largest chunk. Mended: small chunks.
//: share 0.46
//: scenario dynamic,1@HERE
*/
#include "work.h"

enum { ITEMS = 400, STEPS = 30 };

static long cost(long item)
{
    return item < ITEMS / 4 ? 400 : 10;
}

APART void sweep(void)
{
#pragma omp parallel for schedule(guided)         /* HERE imbalance */
    for (long item = 0; item < ITEMS; item++) /* HERE imbalance: on aarch64 clang names the loop itself */
        keep(work(cost(item), item));
}

APART void sweep_mended(void)
{
#pragma omp parallel for schedule(dynamic)
    for (long item = 0; item < ITEMS; item++)
        keep(work(cost(item), item));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        if (run.mended)
            sweep_mended();
        else
            sweep();
    }
    return run_end();
}
