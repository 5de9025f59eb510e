/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Healthy: a recursion of tasks of some hundred microseconds each.
 */
#include "work.h"

enum { DEPTH = 12, UNITS = 600 };

static void tree(int depth, long seed, long units)
{
    if (depth == 0) {
        keep(work(units, seed));
        return;
    }
#pragma omp task
    tree(depth - 1, 2 * seed, units);
    tree(depth - 1, 2 * seed + 1, units);
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long units = run_scaled(&run, UNITS);

#pragma omp parallel
#pragma omp single
    tree(DEPTH, 1, units);
    return run_end();
}
