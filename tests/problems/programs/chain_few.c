/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One task at a time, waited for at once. Mended: two halves.
//: share 0.5
//: scenario task@HERE /2
*/
#include "work.h"

enum { STEPS = 200, UNITS = 6000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long parts = run.mended ? 2 : 1;

#pragma omp parallel
#pragma omp single
    for (long step = 0; step < steps; step++) {
        for (long part = 0; part < parts; part++) {
#pragma omp task firstprivate(part) /* HERE task_chain */
            for (long unit = part * UNITS / parts; unit < (part + 1) * UNITS / parts; unit += 100)
                keep(work(100, unit));
        }
#pragma omp taskwait
    }
    return run_end();
}
