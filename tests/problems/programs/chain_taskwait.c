/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each task is waited for before the next one is created. Mended: all are, together.
//: share 0.5
//: scenario no-wait@HERE+2
*/
#include "work.h"

enum { ITEMS = 1000 };

APART void build(long items)
{
    for (long item = 0; item < items; item++) {
#pragma omp task /* HERE task_chain */
        keep(work(1000, item));
#pragma omp taskwait
    }
}

APART void build_mended(long items)
{
    for (long item = 0; item < items; item++) {
#pragma omp task
        keep(work(1000, item));
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

#pragma omp parallel
#pragma omp single
    {
        if (run.mended)
            build_mended(items);
        else
            build(items);
    }
    return run_end();
}
