/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target regions with three transfers and one kernel, repeated a fixed number of times in each of several
 * samples; prints the nanoseconds of one in the best and in the median sample. Run by tests/bench/run.py,
 * which compares runs with and without a tool. Usage: targets SAMPLES PERCENT PAUSE_MS FIRST [NAME...] or
 * targets list
 */
#include "bench.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_FACTOR = 10, CELLS = 8, REPS = 50 };

static const char name[] = "host plugin";
static int a[CELLS];
static int b[CELLS];

/* The memory stays on the device: it is transferred each time, and never allocated. */
static void run_regions(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp target map(always, to : a) map(always, tofrom : b)
        b[0] += a[0];
    }
}

static void measure(int samples, long reps, struct timespec pause)
{
    for (int i = 0; i < samples; i++)
        run_regions(reps);
    /* A tool that works in the background gets the time to catch up. */
    nanosleep(&pause, NULL);
    bench_measure(name, run_regions, reps, samples);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        puts(name);
        return 0;
    }
    int samples = argc > 4 ? SAMPLES_FACTOR * atoi(argv[1]) : 0;
    long reps = argc > 4 ? REPS * atol(argv[2]) / 100 : 0;
    if (samples < 1 || samples > BENCH_MAX_SAMPLES || reps < 1 || omp_get_num_devices() < 1)
        return 2;
    long pause_ns = atol(argv[3]) * 1000000;
    struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
    a[0] = 1;
#pragma omp target enter data map(alloc : a, b)
    measure(samples, reps, pause);
#pragma omp target exit data map(delete : a, b)
    return b[0] == 2 * samples * reps ? 0 : 1;
}
