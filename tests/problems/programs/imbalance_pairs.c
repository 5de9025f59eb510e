/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two tasks for two threads, of which one takes three times as long as the other. Mended: two equal ones.
//: share 0.33
 */
#include "work.h"

enum { STEPS = 200, UNITS = 8000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long middle = run.mended ? UNITS / 2 : UNITS / 4;

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
#pragma omp taskloop grainsize(1) /* HERE imbalance */
        for (long half = 0; half < 2; half++)
            for (long unit = half == 0 ? 0 : middle; unit < (half == 0 ? middle : UNITS); unit += 100)
                keep(work(100, unit));
    }
    return run_end();
}
