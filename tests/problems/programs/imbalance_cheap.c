/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterations of a few nanoseconds, of which the first half costs three times the other. One at a time would
 * take a hundred times as long to hand out as to do. Mended: chunks of some 50 us.
//: share 0.25
//: proposal schedule\(dynamic, [1-9]000+\)
//: scenario dynamic@HERE
*/
#include "work.h"

enum { ITEMS = 1000000, STEPS = 1000 };

static uint64_t cheap(long item)
{
    uint64_t x = (uint64_t)item + 88172645463325252U;

    for (int i = 0; i < (item < ITEMS / 2 ? 6 : 2); i++) {
        x ^= x << 13;
        x ^= x >> 7;
    }
    return x;
}

APART void bad(long steps)
{
    for (long step = 0; step < steps; step++) {
        uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE imbalance */
        for (long item = 0; item < ITEMS; item++)
            sum += cheap(item);
        keep(sum);
    }
}

APART void mended(long steps)
{
    for (long step = 0; step < steps; step++) {
        uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 10000) reduction(+ : sum)
        for (long item = 0; item < ITEMS; item++)
            sum += cheap(item);
        keep(sum);
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? mended : bad)(run_scaled(&run, STEPS));
    return run_end();
}
