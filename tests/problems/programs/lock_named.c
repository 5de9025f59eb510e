/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two critical sections of different names, one short, one long. Mended: the long one is short, too.
//: share 0.47
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { ITEMS = 40000 };

static uint64_t histogram[2];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

#pragma omp parallel for schedule(static)
    for (long item = 0; item < items; item++) {
        uint64_t value = run.mended ? work(30, item) : 0;

#pragma omp critical(small)
        histogram[0] += work(1, item);
#pragma omp critical(large) /* HERE lock */
        histogram[1] += run.mended ? value : work(30, item);
    }
    keep(histogram[0]);
    keep(histogram[1]);
    return run_end();
}
