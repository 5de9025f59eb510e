/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a program marks itself, beside a construct: omptape's own header and NVTX. Prints what constructs.c
 * prints, and is run like it. Usage: marks SAMPLES PERCENT PAUSE_MS FIRST [NAME...] or marks list
 */
#include "bench.h"

#include <nvtx3/nvToolsExt.h>
#include <omp.h>
#include <omptape.h>

enum { WARM_UP = 2 };

static omp_lock_t a_lock;

static void run_lock(long reps)
{
    for (long r = 0; r < reps; r++) {
        omp_set_lock(&a_lock);
        omp_unset_lock(&a_lock);
    }
}

static void run_mark(long reps)
{
    for (long r = 0; r < reps; r++) {
        omptape_mark("checkpoint");
        __asm__ volatile("" ::: "memory");
    }
}

static void run_region(long reps)
{
    for (long r = 0; r < reps; r++) {
        omptape_begin("assembly");
        omptape_end();
        __asm__ volatile("" ::: "memory");
    }
}

static void run_nvtx(long reps)
{
    for (long r = 0; r < reps; r++) {
        nvtxRangePushA("assembly");
        nvtxRangePop();
    }
}

static const struct mark {
    const char *name;
    void (*run)(long reps);
} marks[] = {
    {"lock", run_lock},
    {"omptape_mark", run_mark},
    {"omptape_begin, omptape_end", run_region},
    {"nvtxRangePush, nvtxRangePop", run_nvtx},
};
enum { MARKS = sizeof(marks) / sizeof(marks[0]), REPS = 4000 };

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < MARKS; i++)
            puts(marks[i].name);
        return 0;
    }
    int samples = argc > 4 ? atoi(argv[1]) : 0;
    long reps = argc > 4 ? REPS * atol(argv[2]) / 100 : 0;
    if (samples < 1 || samples > BENCH_MAX_SAMPLES || reps < 1)
        return 2;
    long pause_ns = atol(argv[3]) * 1000000;
    struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
    omp_init_lock(&a_lock);
    for (int i = 0; i < MARKS; i++) {
        const struct mark *mark = &marks[(i + atoi(argv[4])) % MARKS];
        if (!bench_is_wanted(mark->name, argc - 5, argv + 5))
            continue;
        for (int k = 0; k < WARM_UP; k++)
            mark->run(reps);
        /* A tool that works in the background gets the time to catch up. */
        nanosleep(&pause, NULL);
        bench_measure(mark->name, mark->run, reps, samples);
    }
    omp_destroy_lock(&a_lock);
    return 0;
}
