/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three iterations for two threads. Mended: collapsed with the loop within.
//: share 0.25
//: scenario dynamic@HERE
*/
#include "work.h"

enum { STEPS = 100, ROWS = 3, COLUMNS = 100 };

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for /* HERE imbalance */
        for (long row = 0; row < ROWS; row++)
            for (long column = 0; column < COLUMNS; column++)
                keep(work(50, row * COLUMNS + column));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for collapse(2)
        for (long row = 0; row < ROWS; row++)
            for (long column = 0; column < COLUMNS; column++)
                keep(work(50, row * COLUMNS + column));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
