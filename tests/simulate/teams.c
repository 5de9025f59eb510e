/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams and barriers. A worker stays in the last barrier of its team until it is in another one, as LLVM's
 * do.
 */
#include "tests/simulate/runtime_state.h"

#include <omptape/ompt.h>

#include <stdlib.h>

enum { BRANCHES = 4 };

/* When the wave that goes down the tree of a barrier comes to this member. */
static uint64_t wave_at(const struct omp_costs *costs, unsigned index)
{
    uint64_t ns = 0;
    for (; index > 0; index /= BRANCHES)
        if (index % BRANCHES > 0)
            ns += costs->level + index % BRANCHES * costs->child;
    return ns;
}

/* How long it takes to see that all have come. */
static uint64_t gather_ns(const struct omp_costs *costs, unsigned size)
{
    uint64_t ns = 0;
    for (unsigned reached = 1; reached < size; reached *= BRANCHES)
        ns += costs->level + costs->child;
    return ns;
}

/* The processor to which the thread is bound, or all. They are numbered on each node, which has no more than
 * these. */
static void note_place(struct omp_thread *thread)
{
    enum { MASK_WORDS = 16, MOST = 64 * MASK_WORDS };
    const struct machine_model *model = machine_model();
    const unsigned processor = model->is_free ? 0 : thread->processor % MOST;
    const unsigned last = model->is_free ? model->processors - 1 : processor;
    uint64_t mask[MASK_WORDS] = {0};
    if (thread->place_known)
        return;
    thread->place_known = true;
    for (unsigned i = processor; i <= last; i++)
        mask[i / 64] |= UINT64_C(1) << i % 64;
    session_put_words(&thread->stream, machine_now(), OMPTAPE_PLACE, 0,
                      model->is_free ? UINT32_MAX : processor, last / 64 + 1, mask);
}

static void open_barrier(struct team *team)
{
    const struct omp_costs *costs = &team->process->costs;
    team->generation++;
    team->arrived = 0;
    team->opens = machine_now() + gather_ns(costs, team->size);
    for (unsigned i = 0; i < team->size; i++)
        runtime_wake(team->members[i], team->opens + wave_at(costs, i));
}

void runtime_open_if_all_came(struct team *team)
{
    if (team->arrived == team->size && team->pending == 0)
        open_barrier(team);
}

/* Barriers. */

/* Comes to the team's barrier, and waits until it opens. */
static void pass_barrier(struct omp_thread *thread)
{
    struct team *team = thread->team;
    const unsigned generation = team->generation;
    team->arrived++;
    runtime_open_if_all_came(team);
    while (team->generation == generation)
        if (!runtime_run_task(thread))
            runtime_wait(thread);
}

void runtime_wait_in_barrier(struct omp_thread *thread, unsigned kind, uint64_t site)
{
    struct team *team = thread->team;
    runtime_begin_sync(thread, kind, site);
    pass_barrier(thread);
    runtime_spend_until(team->opens + wave_at(&team->process->costs, thread->index));
    runtime_end_sync(thread, kind);
}

void omp_barrier(void)
{
    runtime_wait_in_barrier(runtime_self(), ompt_sync_region_barrier_explicit,
                            runtime_site(__builtin_return_address(0)));
}

/* Teams. */

static void begin_implicit(struct omp_thread *thread, struct team *team, unsigned index)
{
    thread->team = team;
    thread->index = index;
    thread->loops = 0;
    thread->singles = 0;
    thread->task = NULL;
    thread->children = 0;
    note_place(thread);
    session_put2(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_BEGIN,
                 omptape_fold_flags(ompt_task_implicit), index, team->region, team->size);
}

static void end_implicit(struct omp_thread *thread, uint64_t region, unsigned index)
{
    session_put1(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_END, omptape_fold_flags(ompt_task_implicit),
                 index, region);
}

/* A worker leaves the last barrier of its last team. */
static void leave_last(struct omp_thread *thread)
{
    if (!thread->in_barrier)
        return;
    thread->in_barrier = false;
    runtime_end_sync(thread, ompt_sync_region_barrier_implicit_parallel);
    end_implicit(thread, thread->left, thread->left_index);
}

static void work_in_team(struct omp_thread *thread)
{
    struct team *team = thread->next_team;
    thread->next_team = NULL;
    runtime_spend_until(thread->next_begin);
    leave_last(thread);
    begin_implicit(thread, team, thread->next_index);
    team->body(team->argument);
    thread->left = team->region;
    thread->left_index = thread->index;
    thread->in_barrier = true;
    runtime_begin_sync(thread, ompt_sync_region_barrier_implicit_parallel, 0);
    pass_barrier(thread);
    thread->team = NULL;
}

static void run_worker(void *argument)
{
    struct omp_thread *thread = argument;
    runtime_begin_records(thread, ompt_thread_worker);
    for (;;)
        if (thread->next_team != NULL)
            work_in_team(thread);
        else if (thread->process->is_over)
            break;
        else
            runtime_wait(thread);
    leave_last(thread);
    runtime_end_records(thread);
}

static struct omp_thread *obtain_worker(struct omp_process *process)
{
    struct omp_thread *worker = process->pool;
    if (worker == NULL)
        return runtime_new_thread(process);
    process->pool = worker->next;
    return worker;
}

/* The workers of its last team, and as many more as it lacks; those that it has no use for go to the pool. */
static void obtain_workers(struct omp_thread *master, unsigned count)
{
    struct omp_process *process = master->process;
    while (master->hot_count > count) {
        struct omp_thread *spare = master->hot[--master->hot_count];
        spare->next = process->pool;
        process->pool = spare;
    }
    if (master->hot_count == count)
        return;
    master->hot = realloc(master->hot, count * sizeof(struct omp_thread *));
    if (master->hot == NULL)
        exit(2);
    while (master->hot_count < count)
        master->hot[master->hot_count++] = obtain_worker(process);
}

static void send_to_team(struct omp_thread *worker, struct team *team, unsigned index, uint64_t time)
{
    team->members[index] = worker;
    worker->next_index = index;
    worker->next_team = team;
    worker->next_begin = time;
    if (worker->machine == NULL)
        worker->machine = machine_spawn(run_worker, worker, worker->processor, time + 20000);
    else
        runtime_wake(worker, time);
}

static struct team *fork_team(struct omp_thread *master, unsigned threads, void (*body)(void *),
                              void *argument, uint64_t region)
{
    struct team *team = runtime_get(1, sizeof(*team));
    *team = (struct team){.process = master->process,
                          .region = region,
                          .size = threads,
                          .members = runtime_get(threads, sizeof(struct omp_thread *)),
                          .outer = master->team,
                          .body = body,
                          .argument = argument};
    team->members[0] = master;
    if (team->outer == NULL)
        obtain_workers(master, threads - 1);
    for (unsigned i = 1; i < threads; i++)
        send_to_team(team->outer == NULL ? master->hot[i - 1] : obtain_worker(master->process), team, i,
                     machine_now() + wave_at(&master->process->costs, i) + 1);
    return team;
}

/* The workers of an inner team are everybody's again. */
static void give_back_workers(struct team *team)
{
    struct omp_process *process = team->process;
    for (unsigned i = team->size - 1; i > 0 && team->outer != NULL; i--) {
        team->members[i]->next = process->pool;
        process->pool = team->members[i];
    }
}

/* What a thread is in while it is in an inner team. */
struct outside {
    struct team *team;
    unsigned index;
    uint64_t loops;
    uint64_t singles;
    struct task *task;
    unsigned children;
};

static struct outside outside_of(const struct omp_thread *thread)
{
    return (struct outside){.team = thread->team,
                            .index = thread->index,
                            .loops = thread->loops,
                            .singles = thread->singles,
                            .task = thread->task,
                            .children = thread->children};
}

static void go_outside(struct omp_thread *thread, const struct outside *outside)
{
    thread->team = outside->team;
    thread->index = outside->index;
    thread->loops = outside->loops;
    thread->singles = outside->singles;
    thread->task = outside->task;
    thread->children = outside->children;
}

void omp_parallel(unsigned threads, void (*body)(void *), void *argument)
{
    struct omp_thread *master = runtime_self();
    const struct omp_costs *costs = &master->process->costs;
    const uint64_t site = runtime_site(__builtin_return_address(0));
    const uint64_t region = session_id(&master->stream);
    const uint16_t flags =
        omptape_fold_flags((int)((uint32_t)ompt_parallel_team | (uint32_t)ompt_parallel_invoker_program));
    const struct outside outside = outside_of(master);
    session_put3(&master->stream, machine_now(), OMPTAPE_PARALLEL_BEGIN, flags, threads, region, site,
                 runtime_task_id(master));
    machine_spend(costs->fork + costs->fork_member * threads);
    struct team *team = fork_team(master, threads, body, argument, region);
    begin_implicit(master, team, 0);
    body(argument);
    runtime_wait_in_barrier(master, ompt_sync_region_barrier_implicit_parallel, site);
    end_implicit(master, region, 0);
    give_back_workers(team);
    go_outside(master, &outside);
    machine_spend(costs->fork / 4);
    session_put1(&master->stream, machine_now(), OMPTAPE_PARALLEL_END, flags, 0, region);
}
