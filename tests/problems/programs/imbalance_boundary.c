/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One of three loops has its heavy iterations, an eighth of all, at the end. Mended: dealt out in turn.
//: share 0.33
//: scenario dynamic@HERE
*/
#include "work.h"

enum { CELLS = 800, STEPS = 60 };

static void flat(void)
{
#pragma omp for schedule(static)
    for (long cell = 0; cell < CELLS; cell++)
        keep(work(5, cell));
}

static long cost(long cell)
{
    return cell >= CELLS - CELLS / 8 ? 120 : 5;
}

APART void bad(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        flat();
#pragma omp for schedule(static) /* HERE imbalance */
        for (long cell = 0; cell < CELLS; cell++)
            keep(work(cost(cell), cell));
        flat();
    }
}

APART void mended(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        flat();
#pragma omp for schedule(static, 1)
        for (long cell = 0; cell < CELLS; cell++)
            keep(work(cost(cell), cell));
        flat();
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
