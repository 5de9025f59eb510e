/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The master does a long step, the others wait at a barrier. gcc tells nothing of master. Mended: a loop.
//: share 0.29
//: scenario masked@HERE x0.5
*/
#include "work.h"

enum { ROWS = 200, STEPS = 40 };

APART void bad(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long row = 0; row < ROWS; row++)
            keep(work(150, row));
#pragma omp master /* HERE[clang] serial */
        for (long i = 0; i < ROWS; i++)
            keep(work(100, i));
#pragma omp barrier /* HERE[gcc] serial imbalance: it has no events of master */
    }
}

APART void mended(long steps)
{
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long row = 0; row < ROWS; row++)
            keep(work(150, row));
#pragma omp for schedule(static)
        for (long i = 0; i < ROWS; i++)
            keep(work(100, i));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
