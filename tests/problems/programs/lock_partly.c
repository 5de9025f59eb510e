/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A critical section that takes three quarters of each iteration: the threads wait a third of the time.
 * Mended: a quarter of each is in there.
//: share 0.33
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { ITEMS = 50000, PIECES = 4 };

static uint64_t pieces(long item, long begin, long end)
{
    uint64_t sum = 0;

    for (long piece = begin; piece < end; piece++)
        sum += work(10, item * PIECES + piece);
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);
    long outside = run.mended ? 3 : 1;

#pragma omp parallel for schedule(static)
    for (long item = 0; item < items; item++) {
        keep(pieces(item, 0, outside));
#pragma omp critical /* HERE lock */
        keep(pieces(item, outside, PIECES));
    }
    return run_end();
}
