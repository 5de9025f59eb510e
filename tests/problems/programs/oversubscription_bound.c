/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All threads are bound to the first processor, though there are more. Mended: to different ones.
//: only clang                   libgomp reads OMP_PLACES before main
//: environment OMP_PROC_BIND=true
//: share 0.5
*/
#include <sched.h>

#include "work.h"

enum { ROWS = 16, STEPS = 150 };

/* The runtime has not looked yet: it does when the first construct comes. */
static void bind_to_first(void)
{
    cpu_set_t may;
    char place[32];
    int processor = 0;

    if (sched_getaffinity(0, sizeof(may), &may) != 0)
        exit(1);
    while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &may))
        processor++;
    snprintf(place, sizeof(place), "{%d}", processor);
    if (setenv("OMP_PLACES", place, 1) != 0)
        exit(1);
}

APART void sweep(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(2) /* HERE oversubscription */
        for (long row = 0; row < ROWS; row++)
            keep(work(500, row));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    if (!run.mended)
        bind_to_first();
    sweep(run_scaled(&run, STEPS));
    return run_end();
}
