/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two locks released in the order they were taken, not the reverse; and one that another thread's task
releases.
//: threads 2
//: enter omp_set_lock 8
//: events ThreadAcquireLock 8
//: events ThreadReleaseLock 8
//: locks 2
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    omp_lock_t first;
    omp_lock_t second;
    int sum = 0;

    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 2; i++) {
            omp_set_lock(&first);
            omp_set_lock(&second);
            sum++;
            omp_unset_lock(&first);
            omp_unset_lock(&second);
        }
    }
    printf("%d\n", sum);
    omp_destroy_lock(&first);
    omp_destroy_lock(&second);
    return 0;
}
