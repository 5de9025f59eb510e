/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tied tasks from one thread, run by both; a taskwait at the end.
//: threads 2
//: events ThreadTaskCreate 20
//: events ThreadTaskComplete 20
//: enter create_task@tied 20
//: enter task@tied 20
//: enter taskwait@wait 1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < 20; i++) {
#pragma omp task shared(sum) firstprivate(i) // @tied
                {
#pragma omp atomic
                    sum += i;
                }
            }
#pragma omp taskwait // @wait
        }
    }
    printf("%d\n", sum);
    return 0;
}
