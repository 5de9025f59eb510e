/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taskgroup, with task_reduction and nested.
//: threads 2
//: events ThreadTaskCreate 10
//: enter taskgroup@outer 1
//: enter taskgroup@inner 1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp taskgroup // @outer
            {
                for (int i = 0; i < 5; i++) {
#pragma omp task shared(sum)
                    {
#pragma omp atomic
                        sum += 1;
                    }
                }
#pragma omp taskgroup task_reduction(+ : sum) // @inner
                {
                    for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
                        sum += 0;
                    }
                }
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
