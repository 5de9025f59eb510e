/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sixteen locks that are seldom busy, and one that always is. Mended: that one guards next to nothing.
//: share 0.47
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { ITEMS = 40000, BINS = 16 };

static omp_lock_t bins[BINS];
static omp_lock_t counter;
static uint64_t sums[BINS];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);
    long count = 0;

    omp_init_lock(&counter);
    for (int bin = 0; bin < BINS; bin++)
        omp_init_lock(&bins[bin]);
#pragma omp parallel for schedule(static)
    for (long item = 0; item < items; item++) {
        long bin = (item * 7) % BINS;
        uint64_t value = run.mended ? work(30, item) : 0;

        omp_set_lock(&bins[bin]);
        sums[bin] += work(2, item);
        omp_unset_lock(&bins[bin]);
        omp_set_lock(&counter); /* HERE lock */
        value = run.mended ? value : work(30, item);
        count += (long)(value & 1);
        omp_unset_lock(&counter);
    }
    keep((uint64_t)count);
    for (int bin = 0; bin < BINS; bin++) {
        keep(sums[bin]);
        omp_destroy_lock(&bins[bin]);
    }
    omp_destroy_lock(&counter);
    return run_end();
}
