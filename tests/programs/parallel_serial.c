/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions that run on one thread: if(0), num_threads(1), and an inner region that may not be active.
//: env OMP_MAX_ACTIVE_LEVELS=1
//: threads 2
//: events ThreadFork 5
//: events ThreadTeamBegin 6
//: enter parallel@if0 1
//: enter parallel@one 1
//: enter parallel@outer 2
//: enter parallel@inner 2
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel if (0) // @if0
    sum += 1;
#pragma omp parallel num_threads(1) // @one
    sum += 2;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @outer
    {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @inner
        sum += 4;
    }
    printf("%d\n", sum);
    return 0;
}
