/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --filter by function: a parallel region goes with all that happens in it, nested regions and tasks too; the
 * one beside it stays.
//: env OMPTAPE_FILTER=-function=hidden
//: env OMP_MAX_ACTIVE_LEVELS=2
//: only clang
//: vary all
//: enter parallel@hidden 0
//: enter parallel@inner 0
//: enter parallel@shown 2
//: enter critical@hidden 0
//: enter critical@called 2
//: enter task 2
//: events ThreadFork 1
//: events ThreadJoin 1
//: events ThreadTeamBegin 2
//: events ThreadTaskCreate 2
//: events ThreadAcquireLock 2
*/
#include <stdio.h>

static int sum;

__attribute__((noinline)) static void called(void)
{
#pragma omp critical // @called
    sum++;
}

__attribute__((noinline)) static void hidden(void)
{
#pragma omp parallel num_threads(2) // @hidden
    {
#pragma omp critical // @hidden
        sum++;
        called();
#pragma omp task
        called();
#pragma omp parallel num_threads(2) // @inner
        called();
    }
}

int main(void)
{
    hidden();
#pragma omp parallel num_threads(2) // @shown
    {
#pragma omp task
        called();
    }
    hidden();
    printf("%d\n", sum);
    return 0;
}
