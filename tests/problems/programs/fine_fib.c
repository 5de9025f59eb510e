/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fibonacci with a task a call. Mended: none below a cut-off.
 */
#include "work.h"

enum { TIMES = 150, NUMBER = 22, CUTOFF = 14 };

static uint64_t sequential(int n)
{
    return n < 2 ? work_tenths(1, n) : sequential(n - 1) + sequential(n - 2);
}

static uint64_t fib(int n, int cutoff)
{
    uint64_t a = 0;
    uint64_t b = 0;

    if (n < 2 || n <= cutoff)
        return sequential(n);
#pragma omp task shared(a) /* HERE fine_tasks */
    a = fib(n - 1, cutoff);
    b = fib(n - 2, cutoff);
#pragma omp taskwait
    return a + b;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long times = run_scaled(&run, TIMES);

#pragma omp parallel
#pragma omp single
    for (long time = 0; time < times; time++)
        keep(fib(NUMBER, run.mended ? CUTOFF : 0));
    return run_end();
}
