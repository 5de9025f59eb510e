/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Three active levels of two threads each; the innermost wait for each other, so that all eight threads exist
at once.
//: env OMP_MAX_ACTIVE_LEVELS=3
//: threads 8
//: events ThreadFork 7
//: events ThreadJoin 7
//: events ThreadTeamBegin 14
//: enter parallel@one 2
//: enter parallel@two 4
//: enter parallel@three 8
*/
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int arrived;

static int meet(void)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 8) {
        sched_yield();
    }
    return omp_get_level();
}

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @one
    {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @two
        {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @three
            sum += meet();
        }
    }
    printf("%d\n", sum);
    return 0;
}
