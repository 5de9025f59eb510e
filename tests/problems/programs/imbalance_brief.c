/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many short loops, in which one thread does three times as much as the other. Mended: the iterations are dealt out in
 * turn.
 */
#include "work.h"

enum { STEPS = 30000, ITEMS = 32, LONG = 16 };

APART void cell(long item)
{
    keep(work_tenths(item < LONG ? 18 : 6, item));
}

APART void bad(void)
{
#pragma omp parallel for schedule(static) /* HERE imbalance */
    for (long item = 0; item < ITEMS; item++)
        cell(item);
}

APART void mended(void)
{
#pragma omp parallel for schedule(static, 1)
    for (long item = 0; item < ITEMS; item++)
        cell(item);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++)
        if (run.mended)
            mended();
        else
            bad();
    return run_end();
}
