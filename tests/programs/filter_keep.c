/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --filter with a rule that keeps: nothing else is shown but the parallel regions around it.
//: env OMPTAPE_FILTER=critical
//: threads 2
//: vary all
//: enter parallel@region 2
//: enter critical 4
//: enter critical_sblock 4
//: enter barrier 0
//: enter implicit_barrier 0
//: enter single 0
//: events ThreadFork 1
//: events ThreadAcquireLock 4
//: events ThreadTaskCreate 0
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) // @region
    {
#pragma omp single
        for (int i = 0; i < 2; i++) {
#pragma omp task shared(sum)
            {
#pragma omp critical
                sum++;
            }
        }
#pragma omp barrier
#pragma omp critical
        sum++;
    }
    printf("%d\n", sum);
    return 0;
}
