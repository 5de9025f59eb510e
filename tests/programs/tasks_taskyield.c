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
    int begun = 0; /* of its own: atomic and critical do not exclude each other */

#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 30; i++) {
#pragma omp task shared(sum, begun) // @yields
            {
#pragma omp atomic
                begun += 1;
#pragma omp taskyield
#pragma omp critical
                sum += 10;
            }
        }
    }
    printf("%d\n", sum + begun);
    return 0;
}
