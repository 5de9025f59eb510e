/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parallel regions one after another, with different team sizes.
//: threads 4
//: events ThreadFork 4
//: events ThreadJoin 4
//: events ThreadTeamBegin 11
//: events ThreadTeamEnd 11
//: enter parallel@pair 4
//: enter parallel@trio 3
//: enter parallel@four 4
//: enter implicit_barrier@pair 4
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @pair
        sum += 1;
    }
#pragma omp parallel num_threads(3) reduction(+ : sum) // @trio
    sum += 10;
#pragma omp parallel num_threads(4) reduction(+ : sum) // @four
    sum += 100;
    printf("%d\n", sum);
    return 0;
}
