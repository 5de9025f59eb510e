/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams, barriers, loops, locks and tasks. A worker stays in the last barrier of its team until it is in
 * another one, as LLVM's do. Tasks of a team lie in one queue.
 */
#include "tests/simulate/runtime.h"

#include "tests/simulate/machine.h"
#include <omptape/ompt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 4, LOOPS = 64, ADDRESSES = 1024 };
/* LLVM's since 5.1, which older headers lack. */
enum { LOOP_STATIC = 10, LOOP_DYNAMIC = 11, WS_LOOP_CHUNK = 3 };

struct task {
    uint64_t id;
    void (*body)(void *);
    void *argument;
    struct task *next;   /* in the team's queue */
    struct task *parent; /* NULL: an implicit task */
    struct omp_thread *creator;
    struct task *follower; /* which waits for this one */
    unsigned children;     /* of an explicit task, that are not complete */
    unsigned blockers;     /* so many it waits for */
    bool complete;
};

struct loop {
    uint64_t next;
    uint64_t free_at; /* when the next chunk may be taken */
    unsigned left;    /* members that are through */
};

struct team {
    struct omp_process *process;
    uint64_t region;
    unsigned size;
    struct omp_thread **members;
    struct team *outer;
    unsigned arrived;
    unsigned generation; /* of the barrier */
    uint64_t opens;
    struct loop loops[LOOPS];
    uint64_t singles; /* how many have been entered first by somebody */
    struct task *first_task;
    struct task *last_task;
    uint64_t queue_free_at;
    unsigned pending; /* tasks that are not complete */
    void (*body)(void *);
    void *argument;
};

struct omp_thread {
    struct omp_process *process;
    struct machine_thread *machine;
    struct session_stream stream;
    bool is_initial;
    bool place_known;
    struct team *team; /* NULL: the initial task */
    unsigned index;
    uint64_t loops; /* that it has entered in this team */
    uint64_t singles;
    struct task *task;      /* NULL: the implicit one */
    unsigned children;      /* of the implicit task, that are not complete */
    bool idle;              /* parked, to be woken once */
    struct team *next_team; /* of a worker: it begins in this one, */
    unsigned next_index;    /* ...with this number, */
    uint64_t next_begin;    /* ...then */
    bool in_barrier;        /* a worker in the last barrier of `left` */
    uint64_t left;          /* that region */
    unsigned left_index;
    struct omp_thread **hot; /* the workers of its last team */
    unsigned hot_count;
    struct omp_thread *next; /* in the pool, or in a lock's line */
    unsigned processor;
};

struct omp_process {
    struct session *session;
    struct omp_costs costs;
    unsigned first_processor;
    unsigned thread_count;
    struct omp_thread **threads;
    struct omp_thread *pool;
    bool is_over;
    void (*program)(void *);
    void *argument;
    struct task *writers[ADDRESSES]; /* the last task of each address */
};

static void *get(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        perror("calloc");
        exit(2);
    }
    return memory;
}

struct omp_costs omp_costs_of(unsigned sockets)
{
    const bool far = sockets > 1;
    return (struct omp_costs){.fork = 1000,
                              .fork_member = 20,
                              .child = far ? 120 : 60,
                              .level = far ? 600 : 200,
                              .lock = far ? 60 : 40,
                              .handover = far ? 400 : 150,
                              .chunk = 420,
                              .chunk_line = far ? 80 : 30,
                              .create = far ? 400 : 250,
                              .take = far ? 600 : 250,
                              .take_line = far ? 150 : 60};
}

static struct omp_thread *self(void)
{
    return machine_argument();
}

static uint64_t site_of(const void *return_address)
{
    return (uint64_t)(uintptr_t)return_address;
}

static uint64_t implicit_of(uint64_t region)
{
    return region | OMPTAPE_ID_IMPLICIT;
}

/* Spins. */
static void spend_until(uint64_t time)
{
    if (time > machine_now())
        machine_spend(time - machine_now());
}

static void wake(struct omp_thread *thread, uint64_t time)
{
    if (!thread->idle)
        return;
    thread->idle = false;
    machine_wake(thread->machine, time);
}

static void sleep_until_woken(struct omp_thread *thread)
{
    thread->idle = true;
    machine_park();
}

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

static void put_sync(struct omp_thread *thread, enum omptape_kind record, unsigned kind, unsigned endpoint,
                     uint64_t site)
{
    const unsigned a = omptape_pack_endpoint(kind, endpoint);
    if (endpoint == ompt_scope_end)
        session_put(&thread->stream, machine_now(), record, a, 0);
    else
        session_put1(&thread->stream, machine_now(), record, a, 0, site);
}

static void begin_sync(struct omp_thread *thread, unsigned kind, uint64_t site)
{
    put_sync(thread, OMPTAPE_SYNC_REGION, kind, ompt_scope_begin, site);
    put_sync(thread, OMPTAPE_SYNC_WAIT, kind, ompt_scope_begin, site);
}

static void end_sync(struct omp_thread *thread, unsigned kind)
{
    put_sync(thread, OMPTAPE_SYNC_WAIT, kind, ompt_scope_end, 0);
    put_sync(thread, OMPTAPE_SYNC_REGION, kind, ompt_scope_end, 0);
}

/* Processors are numbered on each node, which has no more than these. */
static void note_place(struct omp_thread *thread)
{
    enum { MASK_WORDS = 16 };
    const unsigned processor = thread->processor % (64 * MASK_WORDS);
    uint64_t mask[MASK_WORDS] = {0};
    if (thread->place_known)
        return;
    thread->place_known = true;
    mask[processor / 64] = UINT64_C(1) << processor % 64;
    session_put_words(&thread->stream, machine_now(), OMPTAPE_PLACE, 0, processor, processor / 64 + 1, mask);
}

/* Tasks. */

static uint64_t task_id(const struct omp_thread *thread)
{
    return thread->task != NULL   ? thread->task->id
           : thread->team != NULL ? implicit_of(thread->team->region)
                                  : 0;
}

static void open_barrier(struct team *team)
{
    const struct omp_costs *costs = &team->process->costs;
    team->generation++;
    team->arrived = 0;
    team->opens = machine_now() + gather_ns(costs, team->size);
    for (unsigned i = 0; i < team->size; i++)
        wake(team->members[i], team->opens + wave_at(costs, i));
}

static void open_if_all_came(struct team *team)
{
    if (team->arrived == team->size && team->pending == 0)
        open_barrier(team);
}

static void queue_task(struct team *team, struct task *task)
{
    if (team->last_task != NULL)
        team->last_task->next = task;
    else
        team->first_task = task;
    team->last_task = task;
    for (unsigned i = 0; i < team->size; i++)
        if (team->members[i]->idle) {
            wake(team->members[i], machine_now() + team->process->costs.level);
            return;
        }
}

/* Takes a turn at what only one can do at a time: when it is over. */
static uint64_t turn_at(uint64_t *free_at, uint64_t line)
{
    const uint64_t begin = *free_at > machine_now() ? *free_at : machine_now();
    *free_at = begin + line;
    return *free_at;
}

static void complete_task(struct omp_thread *thread, struct team *team, struct task *task)
{
    task->complete = true;
    if (task->follower != NULL && --task->follower->blockers == 0)
        queue_task(team, task->follower);
    unsigned *left = task->parent != NULL ? &task->parent->children : &task->creator->children;
    (*left)--;
    if (*left == 0 && task->creator != thread)
        wake(task->creator, machine_now() + team->process->costs.level);
    team->pending--;
    open_if_all_came(team);
}

static bool run_task(struct omp_thread *thread)
{
    struct team *team = thread->team;
    struct task *task = team->first_task;
    struct task *before = thread->task;
    if (task == NULL)
        return false;
    const struct omp_costs *costs = &team->process->costs;
    team->first_task = task->next;
    if (task->next == NULL)
        team->last_task = NULL;
    spend_until(turn_at(&team->queue_free_at, costs->take_line));
    machine_spend(costs->take);
    const uint64_t prior = task_id(thread);
    session_put2(&thread->stream, machine_now(), OMPTAPE_TASK_SCHEDULE, ompt_task_switch, 0, prior, task->id);
    thread->task = task;
    task->body(task->argument);
    thread->task = before;
    session_put2(&thread->stream, machine_now(), OMPTAPE_TASK_SCHEDULE, ompt_task_complete, 0, task->id,
                 prior);
    complete_task(thread, team, task);
    return true;
}

static struct task *create_task(uint64_t site, bool depends, void (*body)(void *), void *argument)
{
    struct omp_thread *thread = self();
    struct task *task = get(1, sizeof(*task));
    machine_spend(thread->process->costs.create);
    *task = (struct task){.id = session_id(&thread->stream),
                          .body = body,
                          .argument = argument,
                          .parent = thread->task,
                          .creator = thread};
    session_put2(&thread->stream, machine_now(), OMPTAPE_TASK_CREATE, omptape_fold_flags(ompt_task_explicit),
                 depends, task->id, site);
    if (thread->task != NULL)
        thread->task->children++;
    else
        thread->children++;
    thread->team->pending++;
    return task;
}

void omp_task(void (*body)(void *), void *argument)
{
    const uint64_t site = site_of(__builtin_return_address(0));
    queue_task(self()->team, create_task(site, false, body, argument));
}

void omp_task_after(uint64_t address, void (*body)(void *), void *argument)
{
    struct omp_thread *thread = self();
    struct task *task = create_task(site_of(__builtin_return_address(0)), true, body, argument);
    struct task *before = thread->process->writers[address % ADDRESSES];
    const uint64_t payload[] = {task->id, address, ompt_dependence_type_inout};
    session_put_words(&thread->stream, machine_now(), OMPTAPE_DEPENDENCES, 1, 0, 3, payload);
    thread->process->writers[address % ADDRESSES] = task;
    if (before == NULL || before->complete) {
        queue_task(thread->team, task);
        return;
    }
    session_put2(&thread->stream, machine_now(), OMPTAPE_TASK_DEPENDENCE, 0, 0, before->id, task->id);
    before->follower = task;
    task->blockers = 1;
}

void omp_taskwait(void)
{
    struct omp_thread *thread = self();
    const unsigned *left = thread->task != NULL ? &thread->task->children : &thread->children;
    begin_sync(thread, ompt_sync_region_taskwait, site_of(__builtin_return_address(0)));
    while (*left > 0)
        if (!run_task(thread))
            sleep_until_woken(thread);
    end_sync(thread, ompt_sync_region_taskwait);
}

/* Barriers. */

/* Comes to the team's barrier, and waits until it opens. */
static void pass_barrier(struct omp_thread *thread)
{
    struct team *team = thread->team;
    const unsigned generation = team->generation;
    team->arrived++;
    open_if_all_came(team);
    while (team->generation == generation)
        if (!run_task(thread))
            sleep_until_woken(thread);
}

static void wait_in_barrier(struct omp_thread *thread, unsigned kind, uint64_t site)
{
    struct team *team = thread->team;
    begin_sync(thread, kind, site);
    pass_barrier(thread);
    spend_until(team->opens + wave_at(&team->process->costs, thread->index));
    end_sync(thread, kind);
}

void omp_barrier(void)
{
    wait_in_barrier(self(), ompt_sync_region_barrier_explicit, site_of(__builtin_return_address(0)));
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
    end_sync(thread, ompt_sync_region_barrier_implicit_parallel);
    end_implicit(thread, thread->left, thread->left_index);
}

static void work_in_team(struct omp_thread *thread)
{
    struct team *team = thread->next_team;
    thread->next_team = NULL;
    spend_until(thread->next_begin);
    leave_last(thread);
    begin_implicit(thread, team, thread->next_index);
    team->body(team->argument);
    thread->left = team->region;
    thread->left_index = thread->index;
    thread->in_barrier = true;
    begin_sync(thread, ompt_sync_region_barrier_implicit_parallel, 0);
    pass_barrier(thread);
    thread->team = NULL;
}

static void run_worker(void *argument)
{
    struct omp_thread *thread = argument;
    session_begin_thread(thread->process->session, &thread->stream, machine_now(), ompt_thread_worker);
    for (;;)
        if (thread->next_team != NULL)
            work_in_team(thread);
        else if (thread->process->is_over)
            break;
        else
            sleep_until_woken(thread);
    leave_last(thread);
    session_end_thread(&thread->stream, machine_now());
}

static struct omp_thread *new_thread(struct omp_process *process)
{
    struct omp_thread *thread = get(1, sizeof(*thread));
    thread->process = process;
    thread->processor = (process->first_processor + process->thread_count) % machine_model()->processors;
    process->threads = realloc(process->threads, (process->thread_count + 1) * sizeof(*process->threads));
    if (process->threads == NULL)
        exit(2);
    process->threads[process->thread_count++] = thread;
    return thread;
}

static struct omp_thread *obtain_worker(struct omp_process *process)
{
    struct omp_thread *worker = process->pool;
    if (worker == NULL)
        return new_thread(process);
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
        wake(worker, time);
}

static struct team *fork_team(struct omp_thread *master, unsigned threads, void (*body)(void *),
                              void *argument, uint64_t region)
{
    struct team *team = get(1, sizeof(*team));
    *team = (struct team){.process = master->process,
                          .region = region,
                          .size = threads,
                          .members = get(threads, sizeof(struct omp_thread *)),
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
    struct omp_thread *master = self();
    const struct omp_costs *costs = &master->process->costs;
    const uint64_t site = site_of(__builtin_return_address(0));
    const uint64_t region = session_id(&master->stream);
    const uint16_t flags =
        omptape_fold_flags((int)((uint32_t)ompt_parallel_team | (uint32_t)ompt_parallel_invoker_program));
    const struct outside outside = outside_of(master);
    session_put3(&master->stream, machine_now(), OMPTAPE_PARALLEL_BEGIN, flags, threads, region, site,
                 task_id(master));
    machine_spend(costs->fork + costs->fork_member * threads);
    struct team *team = fork_team(master, threads, body, argument, region);
    begin_implicit(master, team, 0);
    body(argument);
    wait_in_barrier(master, ompt_sync_region_barrier_implicit_parallel, site);
    end_implicit(master, region, 0);
    give_back_workers(team);
    go_outside(master, &outside);
    machine_spend(costs->fork / 4);
    session_put1(&master->stream, machine_now(), OMPTAPE_PARALLEL_END, flags, 0, region);
}

struct session_stream *omp_stream(void)
{
    return &self()->stream;
}

unsigned omp_number(void)
{
    return self()->index;
}

unsigned omp_size(void)
{
    const struct omp_thread *thread = self();
    return thread->team != NULL ? thread->team->size : 1;
}

void omp_compute(uint64_t ns)
{
    machine_work(ns);
}

/* Work-sharing. */

static void begin_work(struct omp_thread *thread, unsigned type, uint64_t count, uint64_t site)
{
    session_put2(&thread->stream, machine_now(), OMPTAPE_WORK, omptape_pack_endpoint(type, ompt_scope_begin),
                 0, count, site);
}

static void end_work(struct omp_thread *thread, unsigned type)
{
    session_put(&thread->stream, machine_now(), OMPTAPE_WORK, omptape_pack_endpoint(type, ompt_scope_end), 0);
}

static void run_chunk(struct omp_thread *thread, uint64_t begin, uint64_t end, omp_iteration *iteration,
                      void *argument)
{
    uint64_t ns = 0;
    session_put2(&thread->stream, machine_now(), OMPTAPE_DISPATCH, WS_LOOP_CHUNK, 0, begin, end - begin);
    for (uint64_t i = begin; i < end; i++)
        ns += iteration(i, argument);
    machine_work(ns);
}

void omp_for_static(uint64_t iterations, omp_iteration *iteration, void *argument, bool nowait)
{
    struct omp_thread *thread = self();
    const uint64_t site = site_of(__builtin_return_address(0));
    const uint64_t begin = iterations * thread->index / thread->team->size;
    const uint64_t end = iterations * (thread->index + 1) / thread->team->size;
    begin_work(thread, LOOP_STATIC, iterations, site);
    if (end > begin)
        run_chunk(thread, begin, end, iteration, argument);
    end_work(thread, LOOP_STATIC);
    if (!nowait)
        wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_for_dynamic(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
{
    struct omp_thread *thread = self();
    struct team *team = thread->team;
    const struct omp_costs *costs = &team->process->costs;
    const uint64_t site = site_of(__builtin_return_address(0));
    struct loop *loop = &team->loops[thread->loops++ % LOOPS];
    begin_work(thread, LOOP_DYNAMIC, iterations, site);
    for (;;) {
        spend_until(turn_at(&loop->free_at, costs->chunk_line));
        machine_spend(costs->chunk);
        const uint64_t begin = loop->next;
        const uint64_t end = begin + chunk < iterations ? begin + chunk : iterations;
        if (begin >= iterations)
            break;
        loop->next = end;
        run_chunk(thread, begin, end, iteration, argument);
    }
    end_work(thread, LOOP_DYNAMIC);
    if (++loop->left == team->size)
        *loop = (struct loop){0};
    wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_single(void (*body)(void *), void *argument)
{
    struct omp_thread *thread = self();
    struct team *team = thread->team;
    const uint64_t site = site_of(__builtin_return_address(0));
    const bool is_first = thread->singles++ == team->singles;
    const unsigned type = is_first ? ompt_work_single_executor : ompt_work_single_other;
    team->singles += is_first;
    begin_work(thread, type, 1, site);
    if (is_first)
        body(argument);
    end_work(thread, type);
    wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_masked(void (*body)(void *), void *argument)
{
    struct omp_thread *thread = self();
    const uint64_t site = site_of(__builtin_return_address(0));
    if (thread->index != 0)
        return;
    session_put1(&thread->stream, machine_now(), OMPTAPE_MASKED, omptape_pack_endpoint(0, ompt_scope_begin),
                 0, site);
    body(argument);
    session_put1(&thread->stream, machine_now(), OMPTAPE_MASKED, omptape_pack_endpoint(0, ompt_scope_end), 0,
                 site);
}

/* Locks. */

static void put_mutex(struct omp_thread *thread, enum omptape_kind kind, const struct omp_lock *lock,
                      uint64_t site)
{
    session_put2(&thread->stream, machine_now(), kind, ompt_mutex_critical, 0, site_of(lock), site);
}

static void acquire(struct omp_thread *thread, struct omp_lock *lock)
{
    if (lock->owner == NULL) {
        lock->owner = thread;
        machine_spend(thread->process->costs.lock);
        return;
    }
    thread->next = NULL;
    if (lock->last != NULL)
        lock->last->next = thread;
    else
        lock->first = thread;
    lock->last = thread;
    machine_park();
}

static void release(struct omp_lock *lock)
{
    struct omp_thread *next = lock->first;
    lock->owner = next;
    if (next == NULL)
        return;
    lock->first = next->next;
    if (next->next == NULL)
        lock->last = NULL;
    machine_wake(next->machine, machine_now() + next->process->costs.handover);
}

void omp_critical(struct omp_lock *lock, uint64_t ns)
{
    struct omp_thread *thread = self();
    const uint64_t site = site_of(__builtin_return_address(0));
    put_mutex(thread, OMPTAPE_MUTEX_ACQUIRE, lock, site);
    acquire(thread, lock);
    put_mutex(thread, OMPTAPE_MUTEX_ACQUIRED, lock, site);
    machine_work(ns);
    release(lock);
    put_mutex(thread, OMPTAPE_MUTEX_RELEASED, lock, site);
}

/* Processes. */

static void run_program(void *argument)
{
    struct omp_thread *thread = argument;
    struct omp_process *process = thread->process;
    const uint16_t flags = omptape_fold_flags(ompt_task_initial);
    session_begin_thread(process->session, &thread->stream, machine_now(), ompt_thread_initial);
    const uint64_t region = session_id(&thread->stream);
    session_put2(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_BEGIN, flags, 1, region, 1);
    process->program(process->argument);
    process->is_over = true;
    for (unsigned i = 1; i < process->thread_count; i++)
        wake(process->threads[i], machine_now());
    machine_spend(1000);
    session_put1(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_END, flags, 1, region);
    session_end_thread(&thread->stream, machine_now());
}

struct omp_process *omp_start(struct session *session, const struct omp_costs *costs, unsigned first,
                              void (*program)(void *), void *argument, uint64_t time)
{
    struct omp_process *process = get(1, sizeof(*process));
    *process = (struct omp_process){.session = session,
                                    .costs = *costs,
                                    .first_processor = first,
                                    .program = program,
                                    .argument = argument};
    struct omp_thread *thread = new_thread(process);
    thread->is_initial = true;
    thread->machine = machine_spawn(run_program, thread, thread->processor, time);
    return process;
}

void omp_free(struct omp_process *process)
{
    for (unsigned i = 0; i < process->thread_count; i++) {
        free(process->threads[i]->hot);
        free(process->threads[i]);
    }
    free(process->threads);
    free(process);
}
