/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three equal chunks for two threads. Mended: two.
//: share 0.25
*/
#include "work.h"

enum { ITEMS = 300, STEPS = 70 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
        if (run.mended) {
#pragma omp parallel for schedule(static)
            for (long item = 0; item < ITEMS; item++)
                keep(work(100, item));
        } else {
#pragma omp parallel for schedule(static, 100) /* HERE imbalance */
            for (long item = 0; item < ITEMS; item++)
                keep(work(100, item));
        }
    }
    return run_end();
}
