/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread more than there are processors, with regions of some milliseconds. Mended: as many.
//: environment OMP_PROC_BIND=false
//: scenario threads=2
*/
#include "work.h"

enum { ROWS = 120, STEPS = 200 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    omp_set_num_threads(omp_get_num_procs() + (run.mended ? 0 : 1));
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE oversubscription */
        for (long row = 0; row < ROWS; row++)
            keep(work(100, row));
    }
    return run_end();
}
