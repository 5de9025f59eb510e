/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiny regions of several functions, one after the other. Mended: on one thread.
//: scenario threads=1
 */
#include "work.h"

enum { STEPS = 60000, LENGTH = 512 };

static double v[LENGTH], w[LENGTH];

APART void scale(double *x, double factor)
{
#pragma omp parallel for /* HERE tiny_regions */
    for (int i = 0; i < LENGTH; i++)
        x[i] *= factor;
}

APART double dot(void)
{
    double sum = 0;

#pragma omp parallel for reduction(+ : sum) /* HERE tiny_regions */
    for (int i = 0; i < LENGTH; i++)
        sum += v[i] * w[i];
    return sum;
}

APART void add(void)
{
#pragma omp parallel for /* HERE tiny_regions */
    for (int i = 0; i < LENGTH; i++)
        v[i] += 0.5 * w[i];
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    double sum = 0;

    if (run.mended)
        omp_set_num_threads(1);
    for (int i = 0; i < LENGTH; i++)
        v[i] = w[i] = i;
    for (long step = 0; step < steps; step++) {
        scale(v, 0.5);
        sum += dot();
        add();
        scale(w, 0.999);
    }
    printf("%d\n", sum > 0);
    return 0;
}
