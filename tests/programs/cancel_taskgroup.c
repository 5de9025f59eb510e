/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cancel taskgroup: tasks that did not start are discarded.
//: env OMP_CANCELLATION=true
//: threads 2
//: events ThreadTaskCreate 50
//: events ThreadTaskComplete 50
//: [clang] enter cancel_taskgroup@stop >=1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp taskgroup
            {
                for (int i = 0; i < 50; i++) {
#pragma omp task shared(sum)
                    {
#pragma omp cancellation point taskgroup
#pragma omp atomic
                        sum += 1;
#pragma omp cancel taskgroup // @stop
                    }
                }
            }
        }
    }
    printf("%s\n", sum >= 1 ? "cancelled" : "odd");
    return 0;
}
