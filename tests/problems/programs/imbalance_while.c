/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No worksharing loop: each thread works its own list off until the next barrier. One list is twice as long.
 * Mended: equal ones.
//: share 0.25
//: scenario even parallel@HERE-6
*/
#include "work.h"

enum { STEPS = 100 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        long first = omp_get_thread_num() * (run.mended ? 150 : 200);
        long end = omp_get_thread_num() == 0 ? (run.mended ? 150 : 200) : 300;
        while (first < end)
            keep(work(50, first++));
#pragma omp barrier /* HERE imbalance */
    }
    return run_end();
}
