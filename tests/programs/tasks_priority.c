/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks with priorities.
//: env OMP_MAX_TASK_PRIORITY=10
//: threads 2
//: events ThreadTaskCreate 10
//: events ThreadTaskComplete 10
//: enter task@ranked 10
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 10; i++) {
#pragma omp task priority(i) shared(sum) // @ranked
                {
#pragma omp atomic
                    sum += 1;
                }
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
