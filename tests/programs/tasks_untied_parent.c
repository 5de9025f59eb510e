/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Untied parents that create children and wait for them: they leave the stack and come back later, maybe
elsewhere.
//: threads 2
//: events ThreadTaskCreate 60
//: events ThreadTaskComplete 60
//: enter create_task@parent 15
//: enter create_task@child 45
//: enter task@child 45
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 15; i++) {
#pragma omp task untied shared(sum) // @parent
                {
                    for (int j = 0; j < 3; j++) {
#pragma omp task shared(sum) // @child
                        {
#pragma omp atomic
                            sum += 1;
                        }
                    }
#pragma omp taskwait
#pragma omp atomic
                    sum += 100;
                }
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
