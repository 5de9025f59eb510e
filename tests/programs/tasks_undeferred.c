/* SPDX-License-Identifier: BSD-3-Clause
 *
 * if(0) tasks run at once, on the spot: regions, no task of their own.
//: threads 2
//: enter task@undeferred 10
//: enter task@inside 5
//: events ThreadTaskCreate 5
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 10; i++) {
#pragma omp task if (0) shared(sum) // @undeferred
            {
                if (i % 2 == 0) {
#pragma omp task shared(sum) // @inside
                    {
#pragma omp atomic
                        sum += 100;
                    }
                }
#pragma omp atomic
                sum += 1;
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
