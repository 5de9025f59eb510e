/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks of one single that all take the same lock for most of their time. Mended: for a tenth of it.
//: share 0.45
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { TASKS = 4000, PIECES = 10 };

static omp_lock_t lock;

static uint64_t pieces(long task, long begin, long end)
{
    uint64_t sum = 0;

    for (long piece = begin; piece < end; piece++)
        sum += work(30, task * PIECES + piece);
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long tasks = run_scaled(&run, TASKS);
    long outside = run.mended ? 9 : 1;

    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (long task = 0; task < tasks; task++) {
#pragma omp task firstprivate(task)
        {
            keep(pieces(task, 0, outside));
            omp_set_lock(&lock); /* HERE lock */
            keep(pieces(task, outside, PIECES));
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    return run_end();
}
