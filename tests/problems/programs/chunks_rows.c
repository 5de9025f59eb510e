/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dynamic schedule that gives out rows of a microsecond one by one, as a variable says it. Mended: by
 * hundreds. libgomp hands one out in some 40 ns, so that hardly anything is to be won with it.
//: only clang
*/
#include "work.h"

enum { ROWS = 20000, STEPS = 80 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    omp_set_schedule(omp_sched_dynamic, run.mended ? 100 : 1);
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(runtime)    /* HERE fine_chunks */
        for (long row = 0; row < ROWS; row++) /* HERE fine_chunks: on aarch64 clang names the loop itself */
            keep(work(1, row));
    }
    return run_end();
}
