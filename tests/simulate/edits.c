/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs for predictions. A scenario of `omptape whatif` is one change of the source, and the repaired form
 * is the program after this change.
 */
#include "tests/simulate/programs.h"

#include "tests/simulate/messages.h"

#include <stddef.h>

enum { US = 1000, MS = 1000 * US, STEPS = 20 };

/* Iterations of 2 us to 42 us, which become longer. */
static uint64_t rising(uint64_t number, void *argument)
{
    const uint64_t iterations = *(const uint64_t *)argument;
    return 2 * US + 40 * US * number / iterations;
}

/* Iterations of 2 us to 42 us, in no order. */
static uint64_t mixed(uint64_t number, void *argument)
{
    (void)argument;
    return 2 * US + number * 7919 % 1000 * 40;
}

static uint64_t short_ones(uint64_t number, void *argument)
{
    (void)argument;
    return 2 * US + number % 7 * 200;
}

static void static_or_dynamic(void *argument)
{
    uint64_t iterations = 64 * (uint64_t)omp_size();
    (void)argument;
    healthy_loop(500 * US);
    if (choice.is_repaired)
        omp_for_dynamic(iterations, 1, rising, &iterations);
    else
        AT(omp_for_static(iterations, rising, &iterations, false));
}

static void dynamic_or_static(void *argument)
{
    uint64_t iterations = 64 * (uint64_t)omp_size();
    (void)argument;
    healthy_loop(500 * US);
    if (choice.is_repaired)
        omp_for_static(iterations, rising, &iterations, false);
    else
        AT(omp_for_dynamic(iterations, 1, rising, &iterations));
}

static void dynamic_or_cyclic(void *argument)
{
    uint64_t iterations = 64 * (uint64_t)omp_size();
    (void)argument;
    if (choice.is_repaired)
        omp_for_cyclic(iterations, 8, rising, &iterations);
    else
        AT(omp_for_dynamic(iterations, 1, rising, &iterations));
}

static void dynamic_or_guided(void *argument)
{
    uint64_t iterations = 256 * (uint64_t)omp_size();
    (void)argument;
    if (choice.is_repaired)
        omp_for_guided(iterations, 1, short_ones, &iterations);
    else
        AT(omp_for_dynamic(iterations, 1, short_ones, &iterations));
}

static void short_chunks(void *argument)
{
    (void)argument;
    AT(omp_for_dynamic(512 * (uint64_t)omp_size(), choice.is_repaired ? 16 : 1, short_ones, NULL));
}

static void long_chunks(void *argument)
{
    (void)argument;
    AT(omp_for_dynamic(72 * (uint64_t)omp_size(), choice.is_repaired ? 4 : 64, mixed, NULL));
}

/* Other numbers of threads. All forms do the same work. */
static unsigned threads_with(unsigned others)
{
    return choice.is_repaired ? others : choice.threads;
}

static void static_work(void *argument)
{
    (void)argument;
    omp_for_static(64 * (uint64_t)choice.threads, mixed, NULL, false);
}

static void threads_twice(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        AT(omp_parallel(threads_with(2 * choice.threads), static_work, NULL));
        omp_compute(100 * US);
    }
}

static void threads_half(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        AT(omp_parallel(threads_with(choice.threads / 2), static_work, NULL));
        omp_compute(100 * US);
    }
}

static void dynamic_work(void *argument)
{
    (void)argument;
    omp_for_dynamic(64 * (uint64_t)choice.threads, 4, mixed, NULL);
}

static void threads_dynamic(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        AT(omp_parallel(threads_with(2 * choice.threads), dynamic_work, NULL));
}

static void some_task(void *argument)
{
    (void)argument;
    omp_compute(200 * US);
}

static void create_some(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 16 * choice.threads; i++)
        omp_task(some_task, NULL);
}

static void tasks_region(void *argument)
{
    (void)argument;
    omp_single(create_some, NULL);
}

static void threads_tasks(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        AT(omp_parallel(threads_with(2 * choice.threads), tasks_region, NULL));
}

/* Faster work. Another path takes over, or the rest remains. */
static uint64_t faster_part(uint64_t number, void *argument)
{
    (void)argument;
    return (number < omp_size() / 2 ? 3U * MS : 2U * MS) / (choice.is_repaired ? 2 : 1);
}

static void masked_work(void *argument)
{
    (void)argument;
    omp_compute(1700 * US);
}

static void loop_beside_masked(void *argument)
{
    (void)argument;
    AT(omp_for_static(omp_size(), faster_part, NULL, true));
    omp_masked(masked_work, NULL);
    omp_barrier();
}

static struct omp_lock lock;

static void held_for_long(void *argument)
{
    (void)argument;
    healthy_loop(1 * MS);
    for (int i = 0; i < 4; i++) {
        omp_compute(500 * US);
        AT(omp_critical(&lock, (choice.is_repaired ? 200U : 1000U) * US / choice.threads));
    }
}

static void usual_region(void *argument)
{
    (void)argument;
    healthy_loop(2 * MS);
}

static void faster_serial(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        omp_parallel(choice.threads, usual_region, NULL);
        omp_compute(choice.is_repaired ? 500 * US : 2 * MS);
    }
}

static void single_work(void *argument)
{
    (void)argument;
    omp_compute(choice.is_repaired ? 500 * US : 1 * MS);
}

static void region_with_single(void *argument)
{
    (void)argument;
    healthy_loop(1 * MS);
    AT(omp_single(single_work, NULL));
}

static uint64_t inner_iteration(uint64_t number, void *argument)
{
    (void)argument;
    return (number % 4 == 0 ? 2U * MS : 1U * MS) / (choice.is_repaired ? 4 : 1);
}

static void inner_region(void *argument)
{
    (void)argument;
    AT(omp_for_static(omp_size(), inner_iteration, NULL, false));
    healthy_loop(300 * US);
}

static void outer_region(void *argument)
{
    (void)argument;
    omp_compute(omp_number() * 100 * US);
    omp_parallel(choice.threads / 4, inner_region, NULL);
}

static void faster_inner(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        omp_parallel(4, outer_region, NULL);
}

/* Tasks. */
static void long_task(void *argument)
{
    (void)argument;
    omp_compute(4U * MS / (choice.is_repaired ? 8 : 1));
}

static void create_long(void *argument)
{
    (void)argument;
    const unsigned count = omp_size() + omp_size() / 4;
    for (unsigned i = 0; i < count * (choice.is_repaired ? 8U : 1U); i++)
        AT(omp_task(long_task, NULL));
}

static void long_tasks_region(void *argument)
{
    (void)argument;
    omp_single(create_long, NULL);
}

/* A tree of tasks. With a cut-off, all below its level is a task's own work. */
enum { TREE_LEVELS = 12, CUT_OFF = 7 };

static void subtree(void *argument)
{
    const uintptr_t level = (uintptr_t)argument;
    void *next = (void *)(level + 1);
    if (level == TREE_LEVELS) {
        omp_compute(2 * US);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (choice.is_repaired && level >= CUT_OFF)
            subtree(next);
        else
            AT(omp_task(subtree, next));
    if (!choice.is_repaired || level < CUT_OFF)
        omp_taskwait();
}

static void begin_tree(void *argument)
{
    (void)argument;
    subtree(NULL);
}

static void tree_region(void *argument)
{
    (void)argument;
    omp_single(begin_tree, NULL);
}

static void task_cutoff(void *argument)
{
    (void)argument;
    for (int step = 0; step < 5; step++)
        omp_parallel(choice.threads, tree_region, NULL);
}

static void mixed_task(void *argument)
{
    omp_compute(100 * US + (uintptr_t)argument * 7919 % 10 * 50 * US);
}

static void create_batches(void *argument)
{
    (void)argument;
    for (unsigned batch = 0; batch < 8; batch++) {
        for (uintptr_t i = 0; i < 2 * omp_size(); i++)
            omp_task(mixed_task, (void *)(batch + i));
        if (!choice.is_repaired)
            AT(omp_taskwait());
    }
}

static void batches_region(void *argument)
{
    (void)argument;
    omp_single(create_batches, NULL);
}

/* Each one depends on the last but seven, as blocks of a matrix do. */
static void create_dependent(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 64; i++)
        AT(omp_task_after(choice.is_repaired ? i : i % 8, mixed_task, (void *)(uintptr_t)i));
}

static void dependent_region(void *argument)
{
    (void)argument;
    omp_single(create_dependent, NULL);
}

/* One loop has most for the first threads, the next one for the last. */
static uint64_t falling(uint64_t number, void *argument)
{
    const uint64_t iterations = *(const uint64_t *)argument;
    return 2 * US + 40 * US * (iterations - number) / iterations;
}

static void opposite_loops(void *argument)
{
    uint64_t iterations = 32 * (uint64_t)omp_size();
    (void)argument;
    omp_for_static(iterations, rising, &iterations, true);
    if (!choice.is_repaired)
        AT(omp_barrier());
    omp_for_static(iterations, falling, &iterations, false);
}

static void first_alone(void *argument)
{
    (void)argument;
    omp_compute(1 * MS);
}

static void region_with_masked(void *argument)
{
    (void)argument;
    healthy_loop(1 * MS);
    if (choice.is_repaired)
        healthy_loop(1 * MS / choice.threads);
    else
        AT(omp_masked(first_alone, NULL));
    omp_barrier();
}

/* Ranks. */
static void rank_loop(void *argument)
{
    healthy_loop(*(const uint64_t *)argument);
}

static uint64_t slow_iteration(uint64_t number, void *argument)
{
    (void)number;
    (void)argument;
    return choice.is_repaired ? 100 * US : 200 * US;
}

static void slow_loop(void *argument)
{
    (void)argument;
    AT(omp_for_static(16 * (uint64_t)omp_size(), slow_iteration, NULL, false));
}

/* The second of two ranks has more to do, and the first waits for its message. */
static void message_late(void *argument)
{
    const unsigned rank = mpi_rank();
    uint64_t ns = 2 * MS;
    (void)argument;
    mpi_init();
    for (int step = 0; step < STEPS; step++) {
        omp_parallel(choice.threads, rank % 2 == 1 ? slow_loop : rank_loop, &ns);
        if (rank % 2 == 1)
            mpi_send(rank - 1, 8000);
        else
            mpi_receive(rank + 1, 8000);
    }
    mpi_finalize();
}

/* Each rank waits for its neighbour, again and again. */
static void message_wave(void *argument)
{
    const unsigned rank = mpi_rank();
    (void)argument;
    mpi_init();
    for (int step = 0; step < 10; step++) {
        if (rank > 0)
            mpi_receive(rank - 1, 100000);
        omp_parallel(choice.threads, slow_loop, NULL);
        if (rank + 1 < mpi_size())
            mpi_send(rank + 1, 100000);
    }
    mpi_finalize();
}

/* All wait for the last rank. */
static void message_reduce(void *argument)
{
    uint64_t ns = 2 * MS;
    (void)argument;
    mpi_init();
    for (int step = 0; step < STEPS; step++) {
        omp_parallel(choice.threads, mpi_rank() + 1 == mpi_size() ? slow_loop : rank_loop, &ns);
        mpi_allreduce(8);
    }
    mpi_finalize();
}

const struct program edits[] = {
    {.name = "schedule_dynamic", .region = static_or_dynamic, .steps = STEPS, .scenario = "dynamic@HERE"},
    {.name = "schedule_static", .region = dynamic_or_static, .steps = STEPS, .scenario = "static@HERE"},
    {.name = "schedule_cyclic", .region = dynamic_or_cyclic, .steps = STEPS, .scenario = "static,8@HERE"},
    {.name = "schedule_guided", .region = dynamic_or_guided, .steps = STEPS, .scenario = "guided@HERE"},
    {.name = "schedule_coarse", .region = short_chunks, .steps = STEPS, .scenario = "dynamic,16@HERE"},
    {.name = "schedule_fine", .region = long_chunks, .steps = STEPS, .scenario = "dynamic,4@HERE"},
    {.name = "threads_twice", .run = threads_twice, .crowd = 0.5, .scenario = "threads=TWICE parallel@HERE"},
    {.name = "threads_half", .run = threads_half, .scenario = "threads=HALF parallel@HERE"},
    {.name = "threads_dynamic", .run = threads_dynamic, .crowd = 0.5, .scenario = "threads=TWICE"},
    {.name = "threads_tasks", .run = threads_tasks, .crowd = 0.5, .scenario = "threads=TWICE"},
    {.name = "faster_loop", .region = loop_beside_masked, .steps = STEPS, .scenario = "for@HERE x0.5"},
    {.name = "faster_lock", .region = held_for_long, .steps = STEPS, .scenario = "critical@HERE x0.2"},
    {.name = "faster_serial", .run = faster_serial, .scenario = "serial x0.25"},
    {.name = "faster_single", .region = region_with_single, .steps = STEPS, .scenario = "single@HERE x0.5"},
    {.name = "faster_inner", .run = faster_inner, .scenario = "for@HERE x0.25"},
    {.name = "task_pieces", .region = long_tasks_region, .steps = STEPS, .scenario = "task@HERE /8"},
    {.name = "task_cutoff", .run = task_cutoff, .scenario = "cut-off=7 task@HERE"},
    {.name = "no_taskwait", .region = batches_region, .steps = STEPS, .scenario = "no-wait@HERE"},
    {.name = "no_dependence", .region = dependent_region, .steps = STEPS, .scenario = "no-depend@HERE"},
    {.name = "no_barrier", .region = opposite_loops, .steps = STEPS, .scenario = "no-barrier@HERE"},
    {.name = "even_masked", .region = region_with_masked, .steps = STEPS, .scenario = "even masked@HERE"},
    {.name = "message_late", .run = message_late, .has_ranks = true, .scenario = "for@HERE x0.5"},
    {.name = "message_wave", .run = message_wave, .has_ranks = true, .scenario = "for@HERE x0.5"},
    {.name = "message_reduce", .run = message_reduce, .has_ranks = true, .scenario = "for@HERE x0.5"},
    {.name = NULL},
};
