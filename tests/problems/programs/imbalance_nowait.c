/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangle in a loop with nowait, then a flat loop: that the first one is late shows at the barrier only.
 * gcc tells nothing of static loops, so there the barrier is all that can be named. Mended: dynamic.
//: share 0.26
*/
#include "work.h"

enum { ROWS = 200, STEPS = 55 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        if (run.mended) {
#pragma omp for schedule(dynamic, 4) nowait
            for (long row = 0; row < ROWS; row++)
                keep(work(row, row));
        } else {
#pragma omp for schedule(static) nowait /* HERE[clang] imbalance */
            for (long row = 0; row < ROWS; row++)
                keep(work(row, row));
        }
#pragma omp for schedule(static) nowait
        for (long row = 0; row < ROWS; row++)
            keep(work(40, row));
#pragma omp barrier /* HERE[gcc] imbalance */
    }
    return run_end();
}
