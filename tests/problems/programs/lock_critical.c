/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nearly all of the work is done in a critical section. Mended: before it.
//: share 0.48
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { STEPS = 60000 };

APART void bad(long steps)
{
#pragma omp parallel for schedule(static)
    for (long step = 0; step < steps; step++) {
        work(1, step);
#pragma omp critical /* HERE lock */
        total += work(20, step);
    }
}

APART void mended(long steps)
{
#pragma omp parallel for schedule(static)
    for (long step = 0; step < steps; step++) {
        work(1, step);
        uint64_t value = work(20, step);

#pragma omp critical(mended)
        total += value;
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
