/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each step reduces a large array of which it changes a few elements. Mended: one region around the steps.
//: only clang
//: proposal reduce fewer elements
*/
#include "work.h"

enum { STEPS = 1600, ELEMENTS = 100000, CHANGES = 2000 };

static uint64_t sums[ELEMENTS];

APART void in_each_step(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sums) /* HERE hot_function */
        for (long i = 0; i < CHANGES; i++)
            sums[(i * 31 + step) % ELEMENTS] += (uint64_t)i;
    }
}

APART void once(long steps)
{
#pragma omp parallel reduction(+ : sums)
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long i = 0; i < CHANGES; i++)
            sums[(i * 31 + step) % ELEMENTS] += (uint64_t)i;
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    if (run.mended)
        once(steps);
    else
        in_each_step(steps);
    for (long i = 0; i < ELEMENTS; i++)
        keep(sums[i]);
    return run_end();
}
