/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Much that happens at nearly the same time on all threads: locks and critical sections that change hands,
 * short tasks with dependences, regions in quick succession.
//: threads 4
//: events ThreadAcquireLock 1200
//: events ThreadReleaseLock 1200
//: locks 3
//: events ThreadTaskCreate 400
//: events ThreadTaskComplete 400
//: enter task 400
*/
#include <omp.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 100 };

int main(void)
{
    static omp_lock_t lock;
    static omp_nest_lock_t nest;
    int sums[3] = {0, 0, 0};
    int cells[2] = {0, 0};

    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        omp_set_lock(&lock);
        sums[0]++;
        omp_unset_lock(&lock);
#pragma omp critical
        sums[1]++;
        omp_set_nest_lock(&nest);
        sums[2]++;
        omp_unset_nest_lock(&nest);
    }
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
        for (int k = 0; k < 20; k++) {
#pragma omp task depend(inout : cells[0]) shared(cells)
            cells[0]++;
#pragma omp task depend(inout : cells[1]) shared(cells)
            cells[1]++;
        }
    }
    printf("%d %d %d %d %d\n", sums[0], sums[1], sums[2], cells[0], cells[1]);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return 0;
}
