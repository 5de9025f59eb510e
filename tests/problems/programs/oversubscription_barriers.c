/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Four threads a processor, with a barrier every 64 microseconds of work. Mended: one.
//: environment OMP_PROC_BIND=false
//: scenario threads=2
*/
#include "work.h"

enum { ROWS = 32, STEPS = 15000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    omp_set_num_threads(omp_get_num_procs() * (run.mended ? 1 : 4));
#pragma omp parallel /* HERE oversubscription */
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long row = 0; row < ROWS; row++)
            keep(work(4, row));
    }
    return run_end();
}
