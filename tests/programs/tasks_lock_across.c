/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock taken before a task scheduling point and released after it, with tasks run in between.
//: threads 2
//: events ThreadTaskCreate 8
//: events ThreadTaskComplete 8
//: enter omp_set_lock@hold 1
//: events ThreadAcquireLock 9
//: events ThreadReleaseLock 9
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    omp_lock_t lock;
    int sum = 0;

    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            omp_set_lock(&lock); // @hold
            for (int i = 0; i < 8; i++) {
#pragma omp task shared(sum)
                {
#pragma omp critical
                    sum += 1;
                }
            }
#pragma omp taskwait
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    printf("%d\n", sum);
    return 0;
}
