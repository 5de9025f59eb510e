/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A taskloop with a grain of one iteration of half a microsecond. Mended: of two thousand.
 */
#include "work.h"

enum { ITEMS = 20000, STEPS = 60 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
        if (run.mended) {
#pragma omp taskloop grainsize(2000)
            for (long item = 0; item < ITEMS; item++)
                keep(work_tenths(5, item));
        } else {
#pragma omp taskloop grainsize(1) /* HERE fine_tasks */
            for (long item = 0; item < ITEMS; item++)
                keep(work_tenths(5, item));
        }
    }
    return run_end();
}
