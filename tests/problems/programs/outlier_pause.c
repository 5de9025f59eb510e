/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between two steps one thread tidies up: next to nothing, but once in fifty steps a lot. Mended: all threads
 * share that.
//: share 0.26
//: scenario serial x0.5
*/
#include "work.h"

enum { ITEMS = 100, STEPS = 400, LONG = 50 };

static long cost(long step)
{
    return step % LONG == LONG / 2 ? 100000 : 100;
}

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE outlier */
        for (long item = 0; item < ITEMS; item++)
            keep(work(40, item));
        for (long part = 0; part < 100; part++)
            keep(work(cost(step) / 100, part));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < ITEMS; item++)
            keep(work(40, item));
#pragma omp parallel for schedule(static)
        for (long part = 0; part < 100; part++)
            keep(work(cost(step) / 100, part));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
