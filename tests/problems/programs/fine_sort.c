/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree of tasks, of which each works for a microsecond before it creates two: that work is no creation.
 * Mended: none below a cut-off.
//: only clang                   libgomp executes most of them at once: a cut-off wins nothing
 */
#include "work.h"

enum { TIMES = 80, DEPTH = 12, CUTOFF = 7 };

static void visit(int depth, int cutoff)
{
    keep(work_tenths(10, depth));
    if (depth == 0)
        return;
    if (depth <= cutoff) {
        visit(depth - 1, cutoff);
        visit(depth - 1, cutoff);
        return;
    }
#pragma omp task /* HERE fine_tasks */
    visit(depth - 1, cutoff);
#pragma omp task /* HERE fine_tasks */
    visit(depth - 1, cutoff);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long times = run_scaled(&run, TIMES);

#pragma omp parallel
#pragma omp single
    for (long time = 0; time < times; time++) {
        visit(DEPTH, run.mended ? CUTOFF : 0);
#pragma omp taskwait
    }
    return run_end();
}
