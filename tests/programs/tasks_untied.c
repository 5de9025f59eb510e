/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Untied tasks that yield in the middle, and may go on elsewhere.
//: threads 2
//: events ThreadTaskCreate 20
//: events ThreadTaskComplete 20
//: enter create_task@untied 20
//: enter task@untied >=20
//: enter critical@inside 40
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
#pragma omp task untied shared(sum) // @untied
                {
                    for (int j = 0; j < 2; j++) {
#pragma omp critical // @inside
                        sum += 1;
#pragma omp taskyield
                    }
                }
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
