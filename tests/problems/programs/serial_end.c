/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What comes after the last region takes half of the time. Mended: in a region.
//: share 0.27
//: scenario serial x0.5
*/
#include "work.h"

enum { ROWS = 1000, STEPS = 12 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE serial after */
        for (long row = 0; row < ROWS; row++)
            keep(work(100, row));
    }
    if (run.mended) {
#pragma omp parallel for schedule(static)
        for (long i = 0; i < steps * ROWS; i++)
            keep(work(60, i));
    } else {
        for (long i = 0; i < steps * ROWS; i++)
            keep(work(60, i));
    }
    return run_end();
}
