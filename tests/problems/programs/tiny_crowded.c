/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions of some microseconds, with two threads a processor: all that is lost there goes if there is one
 * region, whoever shares its processors. Mended: that.
//: environment OMP_PROC_BIND=false
 */
#include "work.h"

enum { STEPS = 40000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long threads = 2L * omp_get_num_procs();

    omp_set_num_threads((int)threads);
    if (run.mended) {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < threads * steps; item++)
            keep(work(1, item));
    } else {
        for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE tiny_regions */
            for (long item = threads * step; item < threads * step + threads; item++)
                keep(work(1, item));
        }
    }
    return run_end();
}
