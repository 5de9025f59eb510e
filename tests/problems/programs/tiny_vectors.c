/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A vector operation of two microseconds a region, two sites in turn. Mended: one region with loops that do
 * not wait.
 */
#include "work.h"

enum { STEPS = 150000 };

static uint64_t parts[2][8];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    if (run.mended) {
#pragma omp parallel num_threads(2)
        for (long step = 0; step < steps; step++) {
            int thread = omp_get_thread_num();

            parts[thread][0] += work(1, 2 * step + thread);
            parts[thread][0] += work(1, -2 * step - thread);
        }
    } else {
        for (long step = 0; step < steps; step++) {
#pragma omp parallel num_threads(2) /* HERE tiny_regions */
            parts[omp_get_thread_num()][0] += work(1, 2 * step + omp_get_thread_num());
#pragma omp parallel num_threads(2) /* HERE tiny_regions */
            parts[omp_get_thread_num()][0] += work(1, -2 * step - omp_get_thread_num());
        }
    }
    keep(parts[0][0] + parts[1][0]);
    return run_end();
}
