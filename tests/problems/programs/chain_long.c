/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One task takes longer than all of the others together. Mended: it is many.
//: share 0.33
//: scenario task@HERE /30
*/
#include "work.h"

enum { PARTS = 30, OTHERS = 20, STEPS = 20 };

APART void build(long step)
{
#pragma omp task /* HERE task_chain imbalance */
    for (long part = 0; part < PARTS; part++)
        keep(work(2000, step + part));
    for (long other = 0; other < OTHERS; other++) {
#pragma omp task
        keep(work(1000, other));
    }
}

APART void build_mended(long step)
{
    for (long part = 0; part < PARTS; part++) {
#pragma omp task
        keep(work(2000, step + part));
    }
    for (long other = 0; other < OTHERS; other++) {
#pragma omp task
        keep(work(1000, other));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
        if (run.mended)
            build_mended(step);
        else
            build(step);
#pragma omp taskwait
    }
    return run_end();
}
