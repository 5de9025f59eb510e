/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tied tasks that yield, and critical regions held across a task switch of another thread.
//: threads 2
//: events ThreadTaskCreate 30
//: events ThreadTaskComplete 30
//: enter task@yields 30
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 30; i++) {
#pragma omp task shared(sum) // @yields
            {
#pragma omp atomic
                sum += 1;
#pragma omp taskyield
#pragma omp critical
                sum += 10;
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
