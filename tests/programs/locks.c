/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks: set and unset, a test that fails and one that succeeds, destroyed and made anew at the same address.
//: threads 2
//: enter omp_set_lock@set 20
//: enter omp_unset_lock@unset 20
//: [>=19] enter omp_test_lock@fails 1
//: [>=19] enter omp_test_lock@works 1
//: events ThreadAcquireLock 26
//: events ThreadReleaseLock 26
*/
#include <omp.h>
#include <stdio.h>

static void again(void)
{
    omp_lock_t lock;

    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
}

int main(void)
{
    omp_lock_t lock;
    int sum = 0;
    int got;

#ifdef __clang__
    omp_init_lock_with_hint(&lock, omp_lock_hint_contended);
#else // libgomp declares it, but has it not
    omp_init_lock(&lock);
#endif
#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 10; i++) {
            omp_set_lock(&lock); // @set
            sum++;
            omp_unset_lock(&lock); // @unset
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            got = omp_test_lock(&lock); // @fails
            sum += got * 1000;
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            omp_unset_lock(&lock);
        }
    }
    got = omp_test_lock(&lock); // @works
    sum += got * 100;
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    for (int i = 0; i < 4; i++) {
        again();
    }
    printf("%d\n", sum);
    return 0;
}
