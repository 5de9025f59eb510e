/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A barrier directly after the one at the end of a loop. Mended: without.
//: scenario no-wait@HERE
 */
#include "work.h"

enum { STEPS = 600000 };

static uint64_t parts[2][8];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel num_threads(2)
    for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (long item = 0; item < 2; item++)
            parts[item][0] += work(1, 2 * step + item);
        if (!run.mended) {
#pragma omp barrier /* HERE needless_barrier */
        }
    }
    keep(parts[0][0] + parts[1][0]);
    return run_end();
}
