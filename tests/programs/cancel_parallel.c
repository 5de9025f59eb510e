/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cancel parallel, with cancellation on.
//: env OMP_CANCELLATION=true
//: threads 2
//: [clang] enter cancel_parallel@now 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum += 1;
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel // @now
        }
#pragma omp cancellation point parallel
#pragma omp barrier
    }
    printf("%d\n", sum);
    return 0;
}
