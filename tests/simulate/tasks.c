/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks. Those of a team lie in one queue.
 */
#include "tests/simulate/runtime_state.h"

#include <omptape/ompt.h>

static uint64_t implicit_of(uint64_t region)
{
    return region | OMPTAPE_ID_IMPLICIT;
}

uint64_t runtime_task_id(const struct omp_thread *thread)
{
    return thread->task != NULL   ? thread->task->id
           : thread->team != NULL ? implicit_of(thread->team->region)
                                  : 0;
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
            runtime_wake(team->members[i], machine_now() + team->process->costs.level);
            return;
        }
}

static void complete_task(struct omp_thread *thread, struct team *team, struct task *task)
{
    task->complete = true;
    if (task->follower != NULL && --task->follower->blockers == 0)
        queue_task(team, task->follower);
    unsigned *left = task->parent != NULL ? &task->parent->children : &task->creator->children;
    (*left)--;
    if (*left == 0 && task->creator != thread)
        runtime_wake(task->creator, machine_now() + team->process->costs.level);
    team->pending--;
    runtime_open_if_all_came(team);
}

/* Takes a child of the thread's task out of the queue, else the first task. Returns NULL if there is none. So
 * the stack of a thread that waits for a tree of tasks remains short. */
static struct task *unqueue_task(const struct omp_thread *thread)
{
    struct team *team = thread->team;
    struct task *before = NULL;
    struct task *task = thread->task != NULL ? team->first_task : NULL;
    for (; task != NULL && task->parent != thread->task; task = task->next)
        before = task;
    if (task == NULL) {
        before = NULL;
        task = team->first_task;
    }
    if (task == NULL)
        return NULL;
    if (before != NULL)
        before->next = task->next;
    else
        team->first_task = task->next;
    if (team->last_task == task)
        team->last_task = before;
    task->next = NULL;
    return task;
}

bool runtime_run_task(struct omp_thread *thread)
{
    struct team *team = thread->team;
    struct task *task = unqueue_task(thread);
    struct task *before = thread->task;
    if (task == NULL)
        return false;
    const struct omp_costs *costs = &team->process->costs;
    runtime_spend_until(runtime_turn(&team->queue_free_at, costs->take_line));
    machine_spend(costs->take);
    const uint64_t prior = runtime_task_id(thread);
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
    struct omp_thread *thread = runtime_self();
    struct task *task = runtime_get(1, sizeof(*task));
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
    const uint64_t site = runtime_site(__builtin_return_address(0));
    queue_task(runtime_self()->team, create_task(site, false, body, argument));
}

void omp_task_after(uint64_t address, void (*body)(void *), void *argument)
{
    struct omp_thread *thread = runtime_self();
    struct task *task = create_task(runtime_site(__builtin_return_address(0)), true, body, argument);
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
    struct omp_thread *thread = runtime_self();
    const unsigned *left = thread->task != NULL ? &thread->task->children : &thread->children;
    runtime_begin_sync(thread, ompt_sync_region_taskwait, runtime_site(__builtin_return_address(0)));
    while (*left > 0)
        if (!runtime_run_task(thread))
            runtime_wait(thread);
    runtime_end_sync(thread, ompt_sync_region_taskwait);
}
