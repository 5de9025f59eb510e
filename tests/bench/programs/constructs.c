/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The constructs of EPCC's OpenMP suite, each repeated a fixed number of times in each of several samples;
 * prints for each the nanoseconds of one in the best and in the median sample. Run by tests/bench/run.py,
 * which compares runs with and without a tool. Usage: constructs SAMPLES PERCENT PAUSE_MS FIRST [NAME...] or
 * constructs list
 */
#include "bench.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 2, CHUNKS = 8, TASKS_OF_A_LOOP = 8 };

static int threads;
static omp_lock_t a_lock;
static uint64_t counter;

static inline void body(void)
{
    __asm__ volatile("" ::: "memory");
}

static void run_parallel(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp parallel
        body();
    }
}

static void run_parallel_for(long reps)
{
    for (long r = 0; r < reps; r++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < threads; i++)
            body();
    }
}

static void run_nested(long reps)
{
    int inner = threads > 1 ? 2 : 1;
#pragma omp parallel num_threads(threads / inner)
    for (long r = 0; r < reps; r++) {
#pragma omp parallel num_threads(inner)
        body();
    }
}

static void run_reduction(long reps)
{
    long sum = 0;
    for (long r = 0; r < reps; r++) {
#pragma omp parallel reduction(+ : sum)
        sum += 1;
    }
    counter += (uint64_t)sum;
}

static void run_static(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp for schedule(static)
        for (int i = 0; i < threads; i++)
            body();
    }
}

static void run_dynamic(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < CHUNKS * threads; i++)
            body();
    }
}

static void run_guided(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp for schedule(guided, 1)
        for (int i = 0; i < CHUNKS * threads; i++)
            body();
    }
}

static void run_sections(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp sections
        {
#pragma omp section
            body();
#pragma omp section
            body();
        }
    }
}

static void run_barrier(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp barrier
    }
}

static void run_single(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp single
        body();
    }
}

static void run_critical(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp critical
        body();
    }
}

static void run_lock(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
        omp_set_lock(&a_lock);
        body();
        omp_unset_lock(&a_lock);
    }
}

static void run_ordered(long reps)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (long r = 0; r < reps; r++) {
#pragma omp ordered
        body();
    }
}

static void run_atomic(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp atomic
        counter += 1;
    }
}

static void run_task(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp task
        body();
    }
}

static void run_task_one(long reps)
{
#pragma omp parallel
#pragma omp master
    for (long r = 0; r < reps; r++) {
#pragma omp task
        body();
    }
}

static void run_taskwait(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp task
        body();
#pragma omp taskwait
    }
}

static void run_taskgroup(long reps)
{
#pragma omp parallel
    for (long r = 0; r < reps; r++) {
#pragma omp taskgroup
        {
#pragma omp task
            body();
        }
    }
}

static void run_taskloop(long reps)
{
#pragma omp parallel
#pragma omp master
    for (long r = 0; r < reps; r++) {
#pragma omp taskloop num_tasks(TASKS_OF_A_LOOP)
        for (uint64_t i = 0; i < TASKS_OF_A_LOOP; i++)
            body();
    }
}

/* Repetitions of a sample: some hundred microseconds without a tool, and so few events that the whole of a
 * construct stays far below what omptape's buffer holds. */
static const struct construct {
    const char *name;
    void (*run)(long reps);
    long reps;
} constructs[] = {
    {"parallel", run_parallel, 1000},
    {"parallel for", run_parallel_for, 800},
    {"nested parallel", run_nested, 500},
    {"reduction", run_reduction, 1000},
    {"for static", run_static, 1500},
    {"for dynamic", run_dynamic, 600},
    {"for guided", run_guided, 800},
    {"sections", run_sections, 1000},
    {"single", run_single, 1500},
    {"barrier", run_barrier, 2500},
    {"critical", run_critical, 4000},
    {"lock", run_lock, 4000},
    {"ordered", run_ordered, 3000},
    {"atomic", run_atomic, 20000},
    {"task", run_task, 3000},
    {"task, one creator", run_task_one, 3000},
    {"taskwait", run_taskwait, 1500},
    {"taskgroup", run_taskgroup, 1500},
    {"taskloop", run_taskloop, 300},
};
enum { CONSTRUCTS = sizeof(constructs) / sizeof(constructs[0]) };

static void measure(const struct construct *construct, int samples, long percent)
{
    long reps = construct->reps * percent / 100 > 0 ? construct->reps * percent / 100 : 1;

    for (int i = 0; i < WARM_UP; i++)
        construct->run(reps);
    bench_measure(construct->name, construct->run, reps, samples);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < CONSTRUCTS; i++)
            puts(constructs[i].name);
        return 0;
    }
    if (argc < 5)
        return 2;
    int samples = atoi(argv[1]);
    long percent = atol(argv[2]);
    long pause_ns = atol(argv[3]) * 1000000;
    int first = atoi(argv[4]);
    if (samples < 1 || samples > BENCH_MAX_SAMPLES || first < 0)
        return 2;

    struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
    threads = omp_get_max_threads();
    omp_set_max_active_levels(2);
    omp_init_lock(&a_lock);
    /* Threads, and whatever a tool starts, begin outside of what is measured. */
    run_barrier(10000);
    nanosleep(&pause, NULL);
    for (int i = 0; i < CONSTRUCTS; i++) {
        const struct construct *construct = &constructs[(i + first) % CONSTRUCTS];
        if (!bench_is_wanted(construct->name, argc - 5, argv + 5))
            continue;
        measure(construct, samples, percent);
        /* A tool that works in the background gets the time to catch up, or it would slow down the next one.
         */
        nanosleep(&pause, NULL);
    }
    omp_destroy_lock(&a_lock);
    return 0;
}
