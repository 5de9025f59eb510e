/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A league of one thread on the host. Mended: parallel in place of teams.
//: share 0.29
//: scenario teams@HERE x0.5
*/
#include "work.h"

enum { ROWS = 200, STEPS = 40 };

static void rows(void)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < ROWS; row++)
        keep(work(150, row));
}

APART void bad(void)
{
#pragma omp teams num_teams(1) thread_limit(1) /* HERE few_threads */
    for (long column = 0; column < ROWS; column++)
        keep(work(100, column));
}

APART void mended(void)
{
#pragma omp parallel for schedule(static)
    for (long column = 0; column < ROWS; column++)
        keep(work(100, column));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        rows();
        if (run.mended)
            mended();
        else
            bad();
    }
    return run_end();
}
