/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cancel parallel, with cancellation on. Thread 1 waits for the other one without a barrier: LLVM's runtime (seen
 * with 19, without any tool) looks for a cancellation after each barrier, and when it comes just then, from a thread
 * that is already through, one thread waits at the next barrier and the other at the region's end for ever.
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
        if (omp_get_thread_num() == 1) {
            int seen = 0;
            while (seen < 2) {
#pragma omp atomic read
                seen = sum;
            }
#pragma omp cancel parallel // @now
        }
#pragma omp cancellation point parallel
#pragma omp barrier
    }
    printf("%d\n", sum);
    return 0;
}
