/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each takes some tenths of a second of virtual time, whatever the number of threads: there is so much more
 * work. The repaired one does the same work without the problem.
 */
#include "tests/simulate/programs.h"

#include "tests/simulate/runtime.h"

#include <stddef.h>
#include <stdlib.h>

struct program_choice choice;
const char *marked_file;
int marked_line;
int awaited_rank = -1;

enum { US = 1000, MS = 1000 * US, STEPS = 60 };

static uint64_t equal(uint64_t number, void *argument)
{
    (void)number;
    return *(const uint64_t *)argument;
}

void healthy_loop(uint64_t ns)
{
    uint64_t share = ns / 16;
    omp_for_static(16 * (uint64_t)omp_size(), equal, &share, false);
}

/* imbalance: the first iterations cost most. */
static uint64_t triangle(uint64_t number, void *argument)
{
    const uint64_t iterations = *(const uint64_t *)argument;
    return choice.is_repaired ? 30 * US : 60 * US * (iterations - number) / iterations;
}

static void unequal_loop(void *argument)
{
    (void)argument;
    uint64_t iterations = 64 * (uint64_t)omp_size();
    AT(omp_for_static(iterations, triangle, &iterations, false));
    healthy_loop(1 * MS);
}

/* imbalance: one thread does half as much again. */
static uint64_t one_more(uint64_t number, void *argument)
{
    (void)argument;
    const unsigned slow = choice.threads / 3;
    const uint64_t mean = 2 * MS + MS / choice.threads;
    return choice.is_repaired ? mean : number == slow ? 3 * MS : 2 * MS;
}

static void loop_with_one(void *argument)
{
    (void)argument;
    AT(omp_for_static(omp_size(), one_more, NULL, false));
    healthy_loop(1 * MS);
}

static void healthy_region(void *argument)
{
    (void)argument;
    healthy_loop(2 * MS);
    healthy_loop(2 * MS);
}

/* serial: between regions. */
static void shared_out(void *argument)
{
    healthy_region(argument);
    healthy_loop(2 * MS / choice.threads);
}

static void serial_between(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        AT(omp_parallel(choice.threads, choice.is_repaired ? shared_out : healthy_region, NULL));
        if (!choice.is_repaired)
            omp_compute(2 * MS);
    }
}

/* serial: in a region. */
static void alone(void *argument)
{
    (void)argument;
    omp_compute(1500 * US);
}

static void region_with_single(void *argument)
{
    (void)argument;
    healthy_loop(2 * MS);
    if (choice.is_repaired)
        healthy_loop(1500 * US / choice.threads);
    else
        AT(omp_single(alone, NULL));
    healthy_loop(2 * MS);
}

/* lock: so long for each visit that the threads keep it busy for a part of the time. */
static struct omp_lock lock;

static void locking_loop(void *argument)
{
    (void)argument;
    healthy_loop(1 * MS);
    for (int i = 0; i < 8; i++) {
        omp_compute(200 * US);
        if (choice.is_repaired)
            omp_compute(100 * US * 8 / choice.threads);
        else
            AT(omp_critical(&lock, 100 * US * 8 / choice.threads));
    }
    healthy_loop(1 * MS);
}

/* lock: held for so short that the way of the lock from thread to thread takes longest. */
static void short_locking_loop(void *argument)
{
    (void)argument;
    healthy_loop(1 * MS);
    for (int i = 0; i < 20; i++) {
        omp_compute(10 * US);
        if (choice.is_repaired)
            omp_compute(100);
        else
            AT(omp_critical(&lock, 100));
    }
    healthy_loop(1 * MS);
}

/* fine_chunks: one iteration at a time. */
static void chunk_loop(void *argument)
{
    (void)argument;
    uint64_t share = 1 * US;
    uint64_t chunk = choice.is_repaired ? 50 : 1;
    AT(omp_for_dynamic(500 * (uint64_t)omp_size(), chunk, equal, &share));
    healthy_loop(500 * US);
}

/* fine_tasks: one thread creates them. */
static void fine_task(void *argument)
{
    (void)argument;
    omp_compute(1 * US);
}

static void create_fine_tasks(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 20000; i++)
        AT(omp_task(fine_task, NULL));
}

static void fine_region(void *argument)
{
    (void)argument;
    healthy_loop(2 * MS);
    if (choice.is_repaired)
        healthy_loop(20 * MS / choice.threads);
    else
        omp_single(create_fine_tasks, NULL);
}

/* task_chain: each task waits for the one before. */
static void chained_task(void *argument)
{
    (void)argument;
    omp_compute(choice.is_repaired ? 500 * US / choice.threads : 500 * US);
}

static void create_chain(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 20; i++)
        AT(omp_task_after(choice.is_repaired ? i : 1, chained_task, NULL));
}

static void chain_region(void *argument)
{
    (void)argument;
    healthy_loop(10 * MS);
    omp_single(create_chain, NULL);
}

/* needless_barrier: several with nothing in between. */
static void barriers_region(void *argument)
{
    (void)argument;
    for (int i = 0; i < 20; i++) {
        healthy_loop(50 * US);
        if (!choice.is_repaired)
            AT(omp_barrier());
    }
}

/* nested_wait: one inner region has more to do. */
static void inner_region(void *argument)
{
    AT(omp_for_static(omp_size(), equal, argument, false));
}

static void outer_region(void *argument)
{
    (void)argument;
    uint64_t ns = choice.is_repaired ? 2500 * US : omp_number() == 1 ? 4 * MS : 2 * MS;
    omp_parallel(choice.threads / 4, inner_region, &ns);
}

static void nested(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        omp_parallel(4, outer_region, NULL);
}

/* tiny_regions: many forks for little work. */
static void tiny_region(void *argument)
{
    (void)argument;
    uint64_t share = 1 * US;
    omp_for_static(4 * (uint64_t)omp_size(), equal, &share, true);
}

static void merged_regions(void *argument)
{
    (void)argument;
    for (int i = 0; i < 2000; i++) {
        uint64_t share = 1 * US;
        omp_for_static(4 * (uint64_t)omp_size(), equal, &share, true);
    }
}

static void tiny(void *argument)
{
    (void)argument;
    omp_parallel(choice.threads, healthy_region, NULL);
    for (int i = 0; i < 2000 && !choice.is_repaired; i++)
        AT(omp_parallel(choice.threads, tiny_region, NULL));
    if (choice.is_repaired)
        omp_parallel(choice.threads, merged_regions, NULL);
}

/* tiny_regions: where to fork and to join takes longer than on a small machine. */
static void longer_region(void *argument)
{
    (void)argument;
    uint64_t share = 10 * US;
    omp_for_static(4 * (uint64_t)omp_size(), equal, &share, true);
}

static void merged_longer(void *argument)
{
    for (int i = 0; i < 1000; i++)
        longer_region(argument);
}

static void tiny_longer(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000 && !choice.is_repaired; i++)
        AT(omp_parallel(choice.threads, longer_region, NULL));
    if (choice.is_repaired)
        omp_parallel(choice.threads, merged_longer, NULL);
}

/* few_threads: every second region has a fourth of them. */
static void quarter_region(void *argument)
{
    (void)argument;
    healthy_loop(choice.is_repaired ? 1 * MS : 4 * MS);
}

static void few_threads(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        omp_parallel(choice.threads, healthy_region, NULL);
        AT(omp_parallel(choice.is_repaired ? choice.threads : choice.threads / 4, quarter_region, NULL));
    }
}

/* imbalance: the last of many tasks is long. */
static void unequal_task(void *argument)
{
    omp_compute(*(const uint64_t *)argument);
}

static void create_unequal(void *argument)
{
    (void)argument;
    static uint64_t usual = 200 * US;
    static uint64_t longer = 4 * MS;
    const unsigned count = 32 * omp_size();
    for (unsigned i = 0; i < count; i++)
        AT(omp_task(unequal_task, i + 1 == count && !choice.is_repaired ? &longer : &usual));
}

static void unequal_region(void *argument)
{
    (void)argument;
    omp_single(create_unequal, NULL);
}

/* imbalance: too few iterations for the threads. */
static void few_loop(void *argument)
{
    (void)argument;
    const uint64_t parts = choice.is_repaired ? 64 : 1;
    uint64_t share = 2 * MS / parts;
    healthy_loop(2 * MS);
    AT(omp_for_static(parts * (omp_size() + omp_size() / 4), equal, &share, false));
}

/* Nothing is wrong with these. */
static void dynamic_region(void *argument)
{
    (void)argument;
    uint64_t share = 50 * US;
    omp_for_dynamic(80 * (uint64_t)omp_size(), 1, equal, &share);
}

/* Chunks of different length, many at a time. */
static uint64_t different(uint64_t number, void *argument)
{
    (void)argument;
    return 40 * US + number * 7919 % 1000 * 40;
}

static void chunks_region(void *argument)
{
    (void)argument;
    omp_for_dynamic(400 * (uint64_t)omp_size(), 1, different, NULL);
}

static void good_task(void *argument)
{
    (void)argument;
    omp_compute(200 * US);
}

static void create_good_tasks(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 32 * omp_size(); i++)
        omp_task(good_task, NULL);
}

static void good_tasks_region(void *argument)
{
    (void)argument;
    omp_single(create_good_tasks, NULL);
}

static void crowded_region(void *argument)
{
    const uint64_t *ns = argument;
    for (int i = 0; i < 3; i++)
        healthy_loop(*ns * (uint64_t)choice.threads / omp_size());
}

static void run_crowded(uint64_t ns)
{
    for (int step = 0; step < STEPS / 2; step++)
        AT(omp_parallel(choice.is_repaired ? choice.processors : choice.threads, crowded_region, &ns));
}

/* oversubscription: so short between two barriers that the last threads run when others have nothing to do.
 */
static void crowded(void *argument)
{
    (void)argument;
    run_crowded(2 * MS);
}

/* oversubscription: threads are no multiple of the processors, and parts do not end with slices. */
static void crowded_longer(void *argument)
{
    (void)argument;
    run_crowded(3700 * US);
}

/* preemption: another program runs on one of the processors. */
static void disturbed_loop(void *argument)
{
    uint64_t share = 2 * MS / 16;
    (void)argument;
    AT(omp_for_static(16 * (uint64_t)omp_size(), equal, &share, false));
}

/* blocked: one thread sleeps in a region. */
static void sleeping_region(void *argument)
{
    (void)argument;
    healthy_loop(2 * MS);
    if (!choice.is_repaired && omp_number() == omp_size() / 3)
        omp_sleep(3 * MS);
    omp_compute(500 * US);
}

static void sleeping(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        AT(omp_parallel(choice.threads, sleeping_region, NULL));
}

/* blocked: between regions. */
static void sleeping_serial(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++) {
        AT(omp_parallel(choice.threads, healthy_region, NULL));
        if (!choice.is_repaired)
            omp_sleep(2 * MS);
    }
}

/* hot_function: a third of the work is in the C library. */
static void random_region(void *argument)
{
    (void)argument;
    omp_compute(2 * MS);
    if (!choice.is_repaired)
        omp_call((void (*)(void))rand, 1 * MS);
}

static void random_calls(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        AT(omp_parallel(choice.threads, random_region, NULL));
}

/* spin: all look at a flag until one has done more. */
static void look_at(const volatile int *flag)
{
    while (*flag == 0)
        ;
}

static struct omp_flag flags[STEPS];

static void spinning_region(void *argument)
{
    struct omp_flag *flag = argument;
    omp_compute(2 * MS);
    if (choice.is_repaired) {
        omp_compute(1 * MS / choice.threads);
    } else if (omp_number() == omp_size() / 3) {
        omp_compute(1 * MS);
        omp_raise(flag);
    } else {
        omp_look(flag, (void (*)(void))look_at);
    }
}

static void spinning(void *argument)
{
    (void)argument;
    for (int step = 0; step < STEPS; step++)
        AT(omp_parallel(choice.threads, spinning_region, &flags[step]));
}

/* More threads than processors lose nothing where each has long to work. */
static void long_region(void *argument)
{
    (void)argument;
    healthy_loop(100 * MS);
}

void program_run(void *argument)
{
    const struct program *program = argument;
    if (program->run != NULL)
        program->run(NULL);
    for (unsigned step = 0; step < program->steps; step++)
        omp_parallel(choice.threads, program->region, NULL);
}

const struct program problems[] = {
    {.name = "imbalance",
     .region = unequal_loop,
     .steps = STEPS,
     .kind = "imbalance",
     .scenario = "even for@HERE"},
    {.name = "imbalance_one",
     .region = loop_with_one,
     .steps = STEPS,
     .kind = "imbalance",
     .scenario = "even for@HERE"},
    {.name = "imbalance_few",
     .region = few_loop,
     .steps = STEPS,
     .kind = "imbalance",
     .scenario = "dynamic@HERE"},
    {.name = "imbalance_tasks",
     .region = unequal_region,
     .steps = 10,
     .kind = "imbalance",
     .scenario = "task@HERE /20"},
    {.name = "few_threads",
     .run = few_threads,
     .kind = "few_threads",
     .scenario = "threads=THREADS parallel@HERE"},
    {.name = "serial_between", .run = serial_between, .kind = "serial", .scenario = "serial xSHARE"},
    {.name = "serial_single",
     .region = region_with_single,
     .steps = STEPS,
     .kind = "serial",
     .scenario = "even single@HERE"},
    {.name = "lock", .region = locking_loop, .steps = STEPS, .kind = "lock", .scenario = "zero-wait@HERE"},
    {.name = "lock_short",
     .region = short_locking_loop,
     .steps = STEPS,
     .kind = "lock",
     .scenario = "zero-wait@HERE"},
    {.name = "chunks",
     .region = chunk_loop,
     .steps = 5,
     .kind = "fine_chunks",
     .scenario = "dynamic,50@HERE"},
    {.name = "fine_tasks", .region = fine_region, .steps = 4, .kind = "fine_tasks"},
    {.name = "task_chain",
     .region = chain_region,
     .steps = 10,
     .kind = "task_chain",
     .scenario = "no-depend@HERE; task@HERE /THREADS"},
    {.name = "barriers",
     .region = barriers_region,
     .steps = 20,
     .kind = "needless_barrier",
     .scenario = "no-barrier@HERE"},
    {.name = "nested", .run = nested, .kind = "nested_wait"},
    {.name = "tiny", .run = tiny, .kind = "tiny_regions"},
    {.name = "tiny_longer", .run = tiny_longer, .kind = "tiny_regions"},
    {.name = "late_sender", .run = problem_exchange, .kind = "late_sender", .has_ranks = true},
    {.name = "turns", .run = problem_turns, .kind = "late_sender", .has_ranks = true},
    {.name = "stencil", .run = problem_stencil, .kind = "collective_wait", .has_ranks = true},
    {.name = "collective", .run = problem_reduce, .kind = "collective_wait", .has_ranks = true},
    {.name = "crowded",
     .run = crowded,
     .kind = "oversubscription",
     .crowd = 1.6,
     .scenario = "threads=PROCESSORS"},
    {.name = "crowded_queues",
     .run = crowded_longer,
     .kind = "oversubscription",
     .crowd = 1.34,
     .has_queues = true},
    {.name = "crowded_little",
     .run = crowded_longer,
     .kind = "oversubscription",
     .crowd = 1.07,
     .has_queues = true},
    {.name = "disturbed", .region = disturbed_loop, .steps = STEPS, .kind = "preemption", .others = 0.01},
    {.name = "shared",
     .region = disturbed_loop,
     .steps = STEPS,
     .kind = "preemption",
     .crowd = 1,
     .others = 0.25},
    {.name = "healthy_beside", .region = disturbed_loop, .steps = STEPS, .crowd = 0.5, .others = 0.25},
    {.name = "sleeping", .run = sleeping, .kind = "blocked"},
    {.name = "sleeping_serial", .run = sleeping_serial, .kind = "blocked", .scenario = "serial x0"},
    {.name = "random_calls",
     .run = random_calls,
     .kind = "hot_function",
     .scenario = "parallel@HERE x0.6667"},
    {.name = "spinning", .run = spinning, .kind = "spin"},
    {.name = "healthy_crowd", .region = long_region, .steps = 2, .crowd = 2},
    {.name = "healthy_loops", .region = healthy_region, .steps = STEPS},
    {.name = "healthy_dynamic", .region = dynamic_region, .steps = STEPS},
    {.name = "healthy_chunks", .region = chunks_region, .steps = 10},
    {.name = "healthy_tasks", .region = good_tasks_region, .steps = 10},
    {.name = NULL},
};
