/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two sections, one of them with three times the work. Mended: of equal work.
//: share 0.33
//: scenario even sections@HERE
*/
#include "work.h"

enum { STEPS = 100, UNITS = 20000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long first = run.mended ? UNITS / 20 : UNITS / 40;
    long all = UNITS / 10;

    for (long step = 0; step < steps; step++) {
#pragma omp parallel
        {
#pragma omp sections /* HERE imbalance */
            {
#pragma omp section
                for (long i = 0; i < first; i++)
                    keep(work(10, i));
#pragma omp section
                for (long i = first; i < all; i++)
                    keep(work(10, i));
            }
        }
    }
    return run_end();
}
