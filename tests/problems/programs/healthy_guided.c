/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Healthy: a guided loop over a triangle, and a reduction without a barrier behind it.
 */
#include "work.h"

enum { ROWS = 1000, STEPS = 40 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(guided, 4)
        for (long row = 0; row < ROWS; row++)
            keep(work(row / 10, row));
#pragma omp for reduction(+ : total) nowait
        for (long row = 0; row < ROWS; row++)
            total += work(20, row);
    }
    return run_end();
}
