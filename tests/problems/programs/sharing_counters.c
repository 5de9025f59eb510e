/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread counts values in a row of its own, and the rows of both are in one cache line. Mended: each row has
 * 128 bytes, since some processors fetch two lines at once.
//: proposal local variable
*/
#include "work.h"

enum { ITEMS = 600000000, BINS = 4, FAR = 16 };

static _Alignas(128) uint64_t near_rows[2][BINS];
static _Alignas(128) uint64_t far_rows[2][FAR];

static inline void count(uint64_t *row, long items)
{
    uint32_t x = 1;

    for (long item = 0; item < items; item++) {
        x = x * 1664525U + 1013904223U;
        row[x >> 30]++;
    }
}

APART void count_near(long items)
{
#pragma omp parallel num_threads(2) /* HERE false_sharing */
    count(near_rows[omp_get_thread_num()], items);
}

APART void count_far(long items)
{
#pragma omp parallel num_threads(2)
    count(far_rows[omp_get_thread_num()], items);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    if (run.mended)
        count_far(items);
    else
        count_near(items);
    for (int bin = 0; bin < BINS; bin++)
        keep((uint64_t)(bin + 1) * (near_rows[0][bin] + near_rows[1][bin] + far_rows[0][bin] + far_rows[1][bin]));
    return run_end();
}
