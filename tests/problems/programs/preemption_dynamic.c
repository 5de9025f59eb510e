/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As preemption_thread.c, but the rows are handed out: the first thread does more of them, and nobody waits.
 * Mended: there is no other thread.
//: environment OMP_PROC_BIND=false
//: share 0.25
 */
#include "work.h"

#include "rival.h"

enum { ROWS = 300, STEPS = 60 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    static struct rival rival;

    sched_getaffinity(0, sizeof(rival.all), &rival.all);
    if (!run.mended)
        rival_begin(&rival);
#pragma omp parallel num_threads(2)
    {
        rival_stay(&rival.all, omp_get_thread_num());
        for (long step = 0; step < steps; step++) {
#pragma omp for schedule(dynamic) /* HERE preemption */
            for (long row = 0; row < ROWS; row++) /* HERE[gcc] preemption */
                keep(work(100, row));
        }
    }
    if (!run.mended)
        rival_end(&rival);
    return run_end();
}
