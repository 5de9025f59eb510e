/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangle whose sum is a reduction, once for the whole run: one long instance. Mended: dynamic.
//: share 0.33
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ROWS = 1000, STEPS = 4000 }; /* a step: a thousandth of a row's work */

APART void bad(long steps)
{
    uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE imbalance */
    for (long row = 0; row < ROWS; row++)
        sum += work(row * steps / 1000, row);
    keep(sum);
}

APART void mended(long steps)
{
    uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (long row = 0; row < ROWS; row++)
        sum += work(row * steps / 1000, row);
    keep(sum);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
