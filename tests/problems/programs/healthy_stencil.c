/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Healthy: a stencil with long loops of equal cost.
 */
#include "work.h"

enum { ROWS = 256, STEPS = 24 };

static void sweep(long seed)
{
#pragma omp for schedule(static)
    for (long row = 0; row < ROWS; row++)
        keep(work(200, row * seed));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        sweep(step);
        sweep(-step);
    }
    return run_end();
}
