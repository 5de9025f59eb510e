/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hundred thousand regions of some microseconds. Mended: one.
 */
#include "work.h"

enum { STEPS = 300000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    if (run.mended) {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < 2 * steps; item++)
            keep(work(1, item));
    } else {
        for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE tiny_regions */
            for (long item = 2 * step; item < 2 * step + 2; item++)
                keep(work(1, item));
        }
    }
    return run_end();
}
