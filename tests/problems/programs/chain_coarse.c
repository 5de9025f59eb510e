/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases of three equal tasks for two threads. Mended: of six halves.
//: share 0.25
//: scenario task@HERE /2
*/
#include "work.h"

enum { STEPS = 100, UNITS = 6000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long parts = run.mended ? 2 : 1;

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
        for (long task = 0; task < 3 * parts; task++) {
#pragma omp task firstprivate(task) /* HERE task_chain */
            for (long unit = task * UNITS / parts; unit < (task + 1) * UNITS / parts; unit += 100)
                keep(work(100, unit));
        }
#pragma omp taskwait
    }
    return run_end();
}
