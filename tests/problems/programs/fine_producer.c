/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread makes tasks of a third of a microsecond. Mended: of a thousand of them each.
 */
#include "work.h"

enum { ITEMS = 2000000, CHUNK = 1000 };

static uint64_t items(long begin, long end)
{
    uint64_t sum = 0;

    for (long item = begin; item < end; item++)
        sum += work_tenths(3, item);
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long number = run_scaled(&run, ITEMS / CHUNK) * CHUNK;

#pragma omp parallel
#pragma omp single
    {
        if (run.mended) {
            for (long item = 0; item < number; item += CHUNK) {
#pragma omp task firstprivate(item)
                keep(items(item, item + CHUNK));
            }
        } else {
            for (long item = 0; item < number; item++) {
#pragma omp task firstprivate(item) /* HERE fine_tasks */
                keep(items(item, item + 1));
            }
        }
    }
    return run_end();
}
