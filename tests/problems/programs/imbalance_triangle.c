/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangle of work under the static schedule. Mended: dynamic.
//: share 0.33
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ROWS = 200, STEPS = 80 };

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE imbalance */
        for (long row = 0; row < ROWS; row++)
            keep(work(row, row));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 4)
        for (long row = 0; row < ROWS; row++)
            keep(work(row, row));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
