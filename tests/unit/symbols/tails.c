/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs at the end of functions, whose calls optimising compilers make jumps of, so that the return
 * address is not theirs; test_symbols_calls leads it back. Marks as in constructs.c. Nothing in constructs()
 * is such a call.
 */
#include "runtime.h"

#define NOINLINE __attribute__((noinline))

static int total;

static NOINLINE void add(int by)
{
    total += by;
}

static NOINLINE void bare(void)
{
    add(1);

#pragma omp parallel /* @site parallel bare */
    add(2);
}

static NOINLINE void data(int n)
{
    add(n);

#pragma omp parallel /* @site parallel data */
    add(n + 1);
}

/* Ends with a function that ends with a construct. */
static NOINLINE void chain(int n)
{
    add(n);
    data(n + 3);
}

/* A body that ends with a construct: the return address lies in the runtime. */
static NOINLINE void body(int n)
{
    add(n);

#pragma omp parallel /* @site parallel body */
    {
        add(n);
#pragma omp barrier /* @site barrier body */
    }
}

/* The same in the second of two constructs of one function. */
static NOINLINE void second(int n)
{
#pragma omp parallel /* @site parallel second */
    {
        add(1);
#pragma omp taskwait /* @site taskwait second */
        add(n);
    }
    add(2);

#pragma omp parallel /* @site parallel second */
    {
        add(3);

#pragma omp taskwait /* @site taskwait second */
    }
    add(4);
}

/* A construct at the end of a body at the end of a body. */
static NOINLINE void nest(int n)
{
    add(n);

#pragma omp parallel /* @site parallel nest */
    {
        add(5);

#pragma omp parallel /* @site parallel nest */
        {
            add(n);

#pragma omp barrier /* @site barrier nest */
        }
    }
}

static NOINLINE void wait_at_end(int n)
{
    add(n);

#pragma omp barrier /* @site barrier wait_at_end */
}

/* A body that ends with a function that ends with a construct. */
static NOINLINE void called(int n)
{
    add(n);

#pragma omp parallel /* @site parallel called */
    {
        add(6);
        wait_at_end(7);
    }
}

static NOINLINE void spawn(int n)
{
    add(n);

#pragma omp task /* @site task spawn */
    {
        add(8);

#pragma omp task /* @site task spawn */
        {
            add(9);

#pragma omp taskwait /* @site taskwait spawn */
        }
    }
}

/* The construct around the last one is one without a body of its own. */
static NOINLINE void after_single(int n)
{
    add(n);

#pragma omp parallel /* @site parallel after_single */
    {
        add(1);
#pragma omp single nowait
        add(2);

#pragma omp taskwait /* @site taskwait after_single */
    }
}

/* The addresses of the bodies are taken outside of the loop, and gcc gives the calls no lines. */
static NOINLINE void repeat(int n)
{
    for (int i = 0; i < n; i++) {

#pragma omp parallel /* @site parallel repeat */
        add(1);

#pragma omp parallel /* @site parallel repeat */
        add(2);

#pragma omp parallel /* @site parallel repeat */
        add(3);
        add(i);
    }
}

int constructs(int n)
{
    bare();
    add(1);
    data(n);
    add(1);
    chain(n);
    add(1);
    body(n);
    add(1);
    second(n);
    add(1);
    nest(n);
    add(1);
    called(n);
    add(1);
    spawn(n);
    add(1);
    after_single(n);
    add(1);
    repeat(n);
    add(1);
    for (int i = 0; i < n; i++) {
        bare();
        add(i);
    }
    return total;
}
