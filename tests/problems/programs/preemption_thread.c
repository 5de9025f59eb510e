/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread of the program that is no OpenMP one (of a service, say) wants the processor of the second.
Mended: it does
 * not.
//: environment OMP_PROC_BIND=false
//: share 0.50
*/
#include "work.h"

#include "rival.h"

#include <pthread.h>

enum { ROWS = 200, STEPS = 60 };

static int ended;
static cpu_set_t all;

static void *serve(void *unused)
{
    rival_stay(&all, 1);
    for (long seed = 0; __atomic_load_n(&ended, __ATOMIC_RELAXED) == 0; seed++)
        work(100, seed);
    return unused;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    pthread_t service;

    sched_getaffinity(0, sizeof(all), &all);
    if (!run.mended && pthread_create(&service, NULL, serve, NULL) != 0)
        return 1;
#pragma omp parallel num_threads(2) /* HERE[gcc] preemption: its static loops are not told */
    {
        rival_stay(&all, omp_get_thread_num());
        for (long step = 0; step < steps; step++) {
#pragma omp for schedule(static) /* HERE preemption */
            for (long row = 0; row < ROWS; row++)
                keep(work(100, row));
        }
    }
    __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
    if (!run.mended)
        pthread_join(service, NULL);
    return run_end();
}
