/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The master does a long step, the others wait at a barrier. gcc tells nothing of master. Mended: a loop.
//: share 0.29
*/
#include "work.h"

enum { ROWS = 200, STEPS = 40 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long row = 0; row < ROWS; row++)
            keep(work(150, row));
        if (run.mended) {
#pragma omp for schedule(static)
            for (long i = 0; i < ROWS; i++)
                keep(work(100, i));
        } else {
#pragma omp master /* HERE[clang] serial */
            for (long i = 0; i < ROWS; i++)
                keep(work(100, i));
#pragma omp barrier /* HERE[gcc] serial imbalance */
        }
    }
    return run_end();
}
