/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many short regions: a worker's late ends must not leak into the next region.
//: threads 2
//: events ThreadFork 500
//: events ThreadTeamBegin 1000
//: events ThreadTeamEnd 1000
//: enter parallel@region 1000
//: enter implicit_barrier@region 1000
*/
#include <stdio.h>

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 500; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
