/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs at the end of functions that are called through pointers. Where the call was made a jump of,
 * nothing tells which function it was: test_symbols_calls wants no place then, never the caller's. Marks as
 * in constructs.c.
 */
#include "runtime.h"

#define NOINLINE __attribute__((noinline))

static int total;

static NOINLINE void add(int by)
{
    total += by;
}

static NOINLINE void first(int n)
{
    add(n);

#pragma omp parallel /* @site parallel first */
    add(1);
}

static NOINLINE void second(int n)
{
    add(n + 1);

#pragma omp parallel /* @site parallel second */
    add(2);
}

static NOINLINE void third(int n)
{
    add(n + 2);

#pragma omp task /* @site task third */
    add(3);
}

static NOINLINE void fourth(int n)
{
    add(n + 3);

#pragma omp taskwait /* @site taskwait fourth */
}

static NOINLINE void fifth(int n)
{
    add(n + 4);

#pragma omp barrier /* @site barrier fifth */
}

struct step {
    void (*run)(int);
};

static struct step steps[] = {{first}, {second}, {third}, {fourth}, {fifth}};

int constructs(int n)
{
    struct step *volatile list = steps;
    for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        list[i].run(n);
        add(1);
    }
    return total;
}
