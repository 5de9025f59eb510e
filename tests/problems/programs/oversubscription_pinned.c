/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program binds its threads itself, all to one processor, after the runtime has begun. Mended:
 * it does not.
//: environment OMP_PROC_BIND=false
//: proposal sched_setaffinity
*/
#define _GNU_SOURCE
#include <sched.h>

#include "work.h"

enum { ROWS = 16, STEPS = 300 };

static void bind_to_first(void)
{
    cpu_set_t may;
    cpu_set_t one;
    int processor = 0;

    if (sched_getaffinity(0, sizeof(may), &may) != 0)
        exit(1);
    while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &may))
        processor++;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel num_threads(2)
    if (!run.mended)
        bind_to_first();
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(2) schedule(static) /* HERE oversubscription */
        for (long row = 0; row < ROWS; row++)
            keep(work(500, row));
    }
    return run_end();
}
