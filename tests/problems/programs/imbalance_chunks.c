/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three equal chunks for two threads. Mended: two.
//: share 0.25
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ITEMS = 300, STEPS = 70 };

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static, 100) /* HERE imbalance */
        for (long item = 0; item < ITEMS; item++)
            keep(work(100, item));
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < ITEMS; item++)
            keep(work(100, item));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
