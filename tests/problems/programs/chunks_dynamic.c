/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dynamic schedule that gives out iterations of a tenth of a microsecond one by one. Mended: by hundreds.
 */
#include "work.h"

enum { ITEMS = 200000, STEPS = 20 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    int chunk = run.mended ? 500 : 1;

    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, chunk) /* HERE fine_chunks */
        for (long item = 0; item < ITEMS; item++) /* HERE fine_chunks: on aarch64 clang names the loop itself */
            keep(work_tenths(1, item));
    }
    return run_end();
}
