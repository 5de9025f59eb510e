/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In each step threads copy the new state to the old one. Mended: the two pointers are exchanged.
//: proposal exchange the two pointers
*/
#include "work.h"

#include <string.h>

enum { STEPS = 400000, CELLS = 40000, CHANGED = 100 };

static double both[2][2][CELLS]; /* of two threads */

APART void change(double *new, const double *old, long step)
{
    for (long i = 0; i < CHANGED; i++)
        new[(i * 37 + step) % CELLS] = old[i] + 1;
}

APART void copy(double *old, const double *new)
{
    memcpy(old, new, sizeof(both[0][0]));
    __asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long steps = run_scaled(&run, STEPS);

#pragma omp parallel for schedule(static) num_threads(2) /* HERE hot_function */
    for (long part = 0; part < 2; part++) {
        double *old = both[part][0];
        double *new = both[part][1];

        for (long step = 0; step < steps; step++) {
            change(new, old, step);
            if (run.mended) {
                double *last = old;

                old = new;
                new = last;
            } else {
                copy(old, new);
            }
        }
    }
    keep(both[0][0][0] > 0);
    return run_end();
}
