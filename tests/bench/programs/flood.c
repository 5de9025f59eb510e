/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of one kind from one thread, as fast as they come: what the writer has to keep up with. Run by
 * tests/bench/run.py. Usage: flood barrier|critical|for|task REPETITIONS
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum;

static void flood_barrier(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp barrier
        sum++;
    }
}

static void flood_critical(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp critical
        sum++;
    }
}

static void flood_for(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 1; i++)
            sum++;
    }
}

static void flood_task(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp task
        sum++;
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long reps);
    } kinds[] = {
        {"barrier", flood_barrier}, {"critical", flood_critical}, {"for", flood_for}, {"task", flood_task}};
    if (argc < 3)
        return 2;
    long reps = atol(argv[2]);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0)
            continue;
        uint64_t begin = bench_ns();
#pragma omp parallel num_threads(1)
        kinds[i].run(reps);
        return bench_finish(begin, sum == (uint64_t)reps);
    }
    return 2;
}
