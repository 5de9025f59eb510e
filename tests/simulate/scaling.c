/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs whose time is known for each number of threads. All do the same work with any number. Each has one
 * reason why more threads are not faster.
 */
#include "tests/simulate/programs.h"

#include "tests/simulate/runtime.h"

#include <stddef.h>

enum { US = 1000, MS = 1000 * US, STEPS = 10, ITERATIONS = 4096 };

/* The work of a step, of one thread. */
static const uint64_t step_ns = 40 * MS;

static uint64_t equal(uint64_t number, void *argument)
{
    (void)number;
    return *(const uint64_t *)argument;
}

/* A loop that takes so long with one thread. */
static void perfect_loop(uint64_t ns)
{
    uint64_t share = ns / ITERATIONS;
    omp_for_static(ITERATIONS, equal, &share, false);
}

static void perfect_region(void *argument)
{
    (void)argument;
    perfect_loop(step_ns);
}

/* A tenth of the work is outside of regions. */
static void serial_part(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        omp_parallel(choice.threads, perfect_region, NULL);
        omp_compute(step_ns / 10);
    }
}

/* A tenth is in a single. */
static void tenth(void *argument)
{
    (void)argument;
    omp_compute(step_ns / 10);
}

static void single_region(void *argument)
{
    (void)argument;
    perfect_loop(step_ns);
    omp_single(tenth, NULL);
}

/* Memory serves six threads. */
static uint64_t limited(uint64_t number, void *argument)
{
    const unsigned most = 6;
    (void)number;
    (void)argument;
    return step_ns / ITERATIONS * (omp_size() > most ? omp_size() : most) / most;
}

static void bandwidth_region(void *argument)
{
    (void)argument;
    omp_for_static(ITERATIONS, limited, NULL, false);
}

/* Each further thread that writes to a line has it move once more. */
static uint64_t shared_line(uint64_t number, void *argument)
{
    (void)number;
    (void)argument;
    return step_ns / ITERATIONS * (7 + omp_size()) / 8;
}

static void sharing_region(void *argument)
{
    (void)argument;
    omp_for_static(ITERATIONS, shared_line, NULL, false);
    perfect_loop(step_ns / 2);
}

/* A lock is held for an eighth of the work. */
static struct omp_lock lock;

static void lock_region(void *argument)
{
    (void)argument;
    for (unsigned i = omp_number(); i < 256; i += omp_size()) {
        omp_compute(step_ns / 256);
        omp_critical(&lock, step_ns / 256 / 8);
    }
}

/* A lock is held for very short, and each thread that waits makes it slower. */
static void contended_region(void *argument)
{
    (void)argument;
    for (unsigned i = omp_number(); i < 8192; i += omp_size()) {
        omp_compute(2 * US);
        omp_critical(&lock, 100 + 30 * omp_size());
    }
}

/* The first iterations cost most, so the first thread has more and more above the mean. */
static uint64_t growing(uint64_t number, void *argument)
{
    (void)argument;
    return number < ITERATIONS / 64 ? 8 * step_ns / ITERATIONS : step_ns / ITERATIONS;
}

static void imbalance_region(void *argument)
{
    (void)argument;
    omp_for_static(ITERATIONS, growing, NULL, false);
}

/* A loop of twelve iterations. */
static void few_region(void *argument)
{
    uint64_t share = step_ns / 12;
    (void)argument;
    omp_for_static(12, equal, &share, false);
}

/* Eight processors, whatever the number of threads. */
static void crowded(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        omp_parallel(choice.threads, perfect_region, NULL);
}

/* A region every 20 us of work. */
static void short_region(void *argument)
{
    uint64_t share = 20 * US / 64;
    (void)argument;
    omp_for_static(64, equal, &share, true);
}

static void short_regions(void *argument)
{
    (void)argument;
    for (int step = 0; step < 2000; step++)
        omp_parallel(choice.threads, short_region, NULL);
}

/* One thread creates tasks, which takes an eighth of their time. */
static void short_task(void *argument)
{
    (void)argument;
    omp_compute(2 * US);
}

static void create_short(void *argument)
{
    (void)argument;
    for (int i = 0; i < 4000; i++)
        omp_task(short_task, NULL);
}

static void tasks_region(void *argument)
{
    (void)argument;
    omp_single(create_short, NULL);
}

/* Each task depends on the last but three. */
static void chained_task(void *argument)
{
    (void)argument;
    omp_compute(step_ns / 64);
}

static void create_chains(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 64; i++)
        omp_task_after(i % 4, chained_task, NULL);
}

static void chains_region(void *argument)
{
    (void)argument;
    omp_single(create_chains, NULL);
}

const struct program scaling[] = {
    {.name = "scales", .region = perfect_region, .steps = STEPS, .loss = "none"},
    {.name = "serial_part", .run = serial_part, .loss = "serial"},
    {.name = "serial_in_region", .region = single_region, .steps = STEPS, .loss = "serial"},
    {.name = "bandwidth", .region = bandwidth_region, .steps = STEPS, .loss = "computing"},
    {.name = "false_sharing", .region = sharing_region, .steps = STEPS, .loss = "computing"},
    {.name = "held_lock", .region = lock_region, .steps = STEPS, .loss = "lock"},
    {.name = "contended_lock", .region = contended_region, .steps = STEPS, .loss = "lock"},
    {.name = "growing_imbalance", .region = imbalance_region, .steps = STEPS, .loss = "imbalance"},
    {.name = "few_iterations", .region = few_region, .steps = STEPS, .loss = "imbalance"},
    {.name = "oversubscribed", .run = crowded, .processors = 8, .loss = "processor"},
    {.name = "short_regions", .run = short_regions, .loss = "management"},
    {.name = "short_tasks", .region = tasks_region, .steps = STEPS, .loss = "management"},
    {.name = "task_chains", .region = chains_region, .steps = STEPS, .loss = "imbalance"},
    {.name = NULL},
};
