/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --filter by construct: critical goes with its lock, tasks go and what runs in them stays.
//: env 'OMPTAPE_FILTER=-critical,-task,-implicit*'
//: threads 2
//: vary all
//: property FILTER -critical,-task,-implicit*
//: enter parallel@region 2
//: enter critical 0
//: enter critical_sblock 0
//: enter task 0
//: enter create_task 0
//: enter implicit_barrier 0
//: [clang] enter wait_for_team 2
//: [clang] enter barrier@barrier 2
//: [clang] enter taskwait@inside 5
//: enter omp_set_lock 2
//: events ThreadAcquireLock 2
//: events ThreadReleaseLock 2
//: events ThreadTaskCreate 0
//: events ThreadTaskComplete 0
//: events ThreadFork 1
*/
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0;
    int locked = 0;
    omp_lock_t lock;

    omp_init_lock(&lock);
#pragma omp parallel num_threads(2) // @region
    {
#pragma omp single
        for (int i = 0; i < 5; i++) {
#pragma omp task shared(sum)
            {
#pragma omp critical
                sum++;
#pragma omp taskwait // @inside
            }
        }
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
#pragma omp barrier // @barrier
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", sum, locked);
    return 0;
}
