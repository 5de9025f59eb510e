/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A triangle whose sum is a reduction, once for the whole run: one long instance. Mended: dynamic.
//: share 0.33
*/
#include "work.h"

enum { ROWS = 1000, UNITS = 4 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long units = run_scaled(&run, UNITS * 1000);
    uint64_t sum = 0;

    if (run.mended) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
        for (long row = 0; row < ROWS; row++)
            sum += work(row * units / 1000, row);
    } else {
#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE imbalance */
        for (long row = 0; row < ROWS; row++)
            sum += work(row * units / 1000, row);
    }
    keep(sum);
    return run_end();
}
