/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A function that ends with one of two constructs. After a jump to the runtime nobody can tell which one it
 * was, only where the function was called: test_symbols_calls asks for that. Compiled with -O2.
 */
#include "runtime.h"

/* clang makes one jump of two that differ in nothing but the body; gcc makes none of a call that hands over
 * data. */
#ifdef __clang__
#define DATA(...) firstprivate(__VA_ARGS__)
#else
#define DATA(...)
#endif

static int total;

static __attribute__((noinline)) void add(int by)
{
    total += by;
}

static __attribute__((noinline)) void choose(int n, int m)
{
    if (n > m) {
        add(n);

#pragma omp parallel DATA(n)
        add(1);
    } else {
        add(m);

#pragma omp parallel DATA(n, m)
        add(2);
    }
}

int constructs(int n)
{
    choose(n, 1); /* @site parallel constructs */
    add(1);
    choose(n, n); /* @site parallel constructs */
    add(2);
    return total;
}
