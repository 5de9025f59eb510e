/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread of the program that is no OpenMP one (of a service, say) wants the processor of the second.
 * Mended: there is none.
//: environment OMP_PROC_BIND=false
//: share 0.50
 */
#include "work.h"

#include "rival.h"

enum { ROWS = 200, STEPS = 60 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    static struct rival rival;

    sched_getaffinity(0, sizeof(rival.all), &rival.all);
    if (!run.mended)
        rival_begin(&rival);
#pragma omp parallel num_threads(2) /* HERE[gcc] preemption: its static loops are not told */
    {
        rival_stay(&rival.all, omp_get_thread_num());
        for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static) /* HERE preemption */
            for (long row = 0; row < ROWS; row++)
                keep(work(100, row));
        }
    }
    if (!run.mended)
        rival_end(&rival);
    return run_end();
}
