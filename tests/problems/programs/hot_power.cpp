/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each item is raised to whole exponents by std::pow. Mended: it is multiplied.
//: proposal if the exponent is a small whole number
*/
#include "work.h"

#include <cmath>

enum { ITEMS = 40000000 };

APART double by_power(double x, int n)
{
    return std::pow(x, 2 * n) - std::pow(x, n);
}

APART double by_products(double x)
{
    const double cube = x * x * x;
    const double sixth = cube * cube;

    return sixth * sixth - sixth;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long items = run_scaled(&run, ITEMS);
    volatile int given = 6;
    const int exponent = given;
    double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE hot_function */
    for (long item = 0; item < items; item++) {
        const double x = 0.5 + (double)(item % 1024) / 1024;

        sum += run.mended ? by_products(x) : by_power(x, exponent);
    }
    keep(sum > 0);
    return run_end();
}
