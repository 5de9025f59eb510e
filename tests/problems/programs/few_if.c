/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An if clause that is never true leaves a region to one thread. Mended: without it.
//: share 0.29
//: scenario threads=2
*/
#include "work.h"

enum { ROWS = 200, STEPS = 40, WORTH_IT = 1000 };

static void rows(void)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < ROWS; row++)
        keep(work(150, row));
}

APART void bad(long columns)
{
#pragma omp parallel for schedule(static) if (columns > WORTH_IT) /* HERE few_threads */
    for (long column = 0; column < columns; column++)
        keep(work(100, column));
}

APART void mended(long columns)
{
#pragma omp parallel for schedule(static)
    for (long column = 0; column < columns; column++)
        keep(work(100, column));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        rows();
        if (run.mended)
            mended(ROWS);
        else
            bad(ROWS);
    }
    return run_end();
}
