/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of two threads lie side by side. All variables stay on the stack, as in programs that are compiled
 * without optimisation. Mended: 128 bytes lie between the sums.
//: proposal alignas
*/
#include "work.h"

enum { ITEMS = 800000000, FAR = 16 };

static volatile uint64_t sums[2 * FAR];

APART void add_up(volatile long items, volatile long place)
{
    for (volatile long item = 0; item < items; item++)
        sums[place] += 3;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

#pragma omp parallel num_threads(2) /* HERE false_sharing */
    add_up(items, omp_get_thread_num() * (run.mended ? FAR : 1));
    keep(sums[0] + sums[1] + sums[FAR]);
    return run_end();
}
