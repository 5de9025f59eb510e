/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangle in a loop with nowait, then a flat loop: that the first one is late shows at the barrier only.
 * gcc tells nothing of static loops, so there the barrier is all that can be named. Mended: dynamic.
//: share 0.26
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ROWS = 200, STEPS = 55 };

static void flat(void)
{
#pragma omp for schedule(static) nowait
    for (long row = 0; row < ROWS; row++)
        keep(work(40, row));
}

APART void bad(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait /* HERE[clang] imbalance */
        for (long row = 0; row < ROWS; row++)
            keep(work(row, row));
        flat();
#pragma omp barrier /* HERE[gcc] imbalance: it has no events of the loop */
    }
}

APART void mended(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(dynamic, 4) nowait
        for (long row = 0; row < ROWS; row++)
            keep(work(row, row));
        flat();
#pragma omp barrier
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
