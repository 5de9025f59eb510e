/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs whose call sites test_symbols resolves. Each line that calls the runtime says so: "@site KIND
 * FUNCTION", the function being the one that the user would name. Compiled by several compilers in many ways.
 * No call is the last of its function: it could become a jump, and its return address the caller's.
 */
#include "runtime.h"

static int total;

static inline __attribute__((always_inline)) void bump(int by)
{
#pragma omp critical(total) /* @site critical bump */
    total += by;
}

static __attribute__((noinline)) void nest(int by)
{
#pragma omp parallel /* @site parallel nest */
    {
        bump(by);
#pragma omp parallel /* @site parallel nest */
        {
            bump(by);
#pragma omp critical /* @site critical nest */
            total++;
#pragma omp barrier /* @site barrier nest */
            total++;
        }
        total++;
    }
    total++;
}

static __attribute__((noinline)) void spread(int n)
{
#pragma omp parallel for /* @site parallel spread */
    for (int i = 0; i < n; i++)
        bump(i);
    total++;
}

static __attribute__((noinline)) int spawn(int n)
{
    int sum = 0;
#pragma omp parallel /* @site parallel spawn */
    {
#pragma omp task shared(sum) /* @site task spawn */
        {
#pragma omp critical /* @site critical spawn */
            sum += n;
#pragma omp task shared(sum) /* @site task spawn */
            bump(sum);
            sum++;
        }
#pragma omp taskwait /* @site taskwait spawn */
        sum++;
    }
    return sum;
}

int constructs(int n)
{
    nest(n);
    spread(n);
    total += spawn(n);
    bump(n);
#pragma omp critical /* @site critical constructs */
    total++;
    return total;
}
