/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nestable locks, taken again by their owner.
//: threads 2
//: enter omp_set_nest_lock@outer 10
//: enter omp_set_nest_lock@inner 10
//: [>=19] enter omp_test_nest_lock@test 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    omp_nest_lock_t lock;
    int sum = 0;

    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 5; i++) {
            omp_set_nest_lock(&lock); // @outer
            omp_set_nest_lock(&lock); // @inner
            sum++;
            omp_unset_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
    }
    sum += 100 * omp_test_nest_lock(&lock); // @test
    omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
    printf("%d\n", sum);
    return 0;
}
