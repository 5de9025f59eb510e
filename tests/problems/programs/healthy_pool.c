/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of the program's own, one after the other, have the parallel regions; the first thread only joins
 * them: no time is serial.
 */
#include "work.h"

#include <pthread.h>

enum { ROWS = 200, STEPS = 15, THREADS = 2 };

static void *compute(void *data)
{
    const long *steps = data;

    for (long step = 0; step < *steps; step++) {
#pragma omp parallel for schedule(static)
        for (long row = 0; row < ROWS; row++)
            keep(work(250, row));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    (void)omp_get_max_threads(); /* the runtime begins on the first thread */
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, compute, &steps) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return run_end();
}
