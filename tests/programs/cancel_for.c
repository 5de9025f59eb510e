/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cancel for and cancel sections, with cancellation on.
//: env OMP_CANCELLATION=true
//: threads 2
//: [clang] enter cancel_for@loop >=1
*/
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) {
            if (i == 3) {
#pragma omp atomic
                sum += 1;
#pragma omp cancel for // @loop
            }
#pragma omp cancellation point for
        }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
            }
#pragma omp section
            {
#pragma omp cancellation point sections
            }
        }
    }
    printf("%d\n", sum);
    return 0;
}
