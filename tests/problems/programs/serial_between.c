/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A long stretch between two regions. Mended: a region, too.
//: share 0.25
//: scenario serial x0.5
*/
#include "work.h"

enum { ROWS = 200, STEPS = 40 };

static void rows(void)
{
#pragma omp parallel for schedule(static) /* HERE serial after */
    for (long row = 0; row < ROWS; row++)
        keep(work(80, row));
}

static void columns(void)
{
#pragma omp parallel for schedule(static) /* HERE serial before */
    for (long column = 0; column < ROWS; column++)
        keep(work(80, -column));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        rows();
        if (run.mended) {
#pragma omp parallel for schedule(static)
            for (long i = 0; i < ROWS; i++)
                keep(work(80, i * i));
        } else {
            for (long i = 0; i < ROWS; i++)
                keep(work(80, i * i));
        }
        columns();
    }
    return run_end();
}
