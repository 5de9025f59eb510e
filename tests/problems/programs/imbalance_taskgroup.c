/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of tasks that are waited for, the last of which takes twice as long as all others. Mended: equal ones.
//: share 0.25
//: scenario task@HERE /8
*/
#include "work.h"

enum { STEPS = 150, TASKS = 6, UNITS = 12000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long small = run.mended ? UNITS / TASKS : UNITS / 3 / (TASKS - 1);

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
#pragma omp taskgroup
        for (long task = 0; task < TASKS; task++) {
#pragma omp task firstprivate(task) /* HERE imbalance */
            for (long unit = task * small; unit < (task + 1 < TASKS ? (task + 1) * small : UNITS);
                 unit += 100)
                keep(work(100, unit));
        }
    }
    return run_end();
}
