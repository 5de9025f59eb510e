/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates operations at which threads wait for others: locks, barriers, taskwaits and ends of taskgroups.
 */
#include "src/model/simulate_state.h"

/* Returns the recorded lag if the thread waits as it did in the recording, otherwise the usual lag. */
static uint64_t lock_lag(const struct sim *sim, const struct model_op *op, bool has_waited)
{
    return has_waited == op->flag ? op->ns : sim->model->locks.list[op->arg].lag[has_waited];
}

void sim_acquire(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_lock *lock = &sim->locks[op->arg];
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    const bool is_free = rule != NULL && rule->no_wait;
    if (!is_free && lock->holder != MODEL_NONE && lock->holder != thread->id) {
        thread->state = SIM_BLOCKED;
        thread->next = MODEL_NONE;
        if (lock->first == MODEL_NONE)
            lock->first = thread->id;
        else
            sim->threads[lock->last].next = thread->id;
        lock->last = thread->id;
        return;
    }
    const bool has_waited = lock->holder == thread->id;
    if (!is_free)
        lock->holder = thread->id;
    sim_advance_by(sim, thread, sim_top(thread)->op, lock_lag(sim, op, has_waited));
    sim_next_op(sim, thread);
}

void sim_grant_lock(struct sim *sim, struct sim_lock *lock, const struct sim_moment *moment)
{
    const uint32_t next = lock->first;
    lock->holder = next;
    if (next == MODEL_NONE)
        return;
    lock->first = sim->threads[next].next;
    sim_wake(sim, next, moment);
}

void sim_release(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_lock *lock = &sim->locks[op->arg];
    sim_next_op(sim, thread);
    if (lock->holder == thread->id)
        sim_grant_lock(sim, lock, &thread->now);
}

/* Returns true if what the thread waits for is over. *end receives the moment when it ended. */
static bool is_over(const struct sim *sim, const struct sim_frame *frame, const struct model_op *op,
                    struct sim_moment *end)
{
    switch (op->kind) {
    case MODEL_BARRIER:
        *end = sim->barriers[op->arg].end;
        return sim->barriers[op->arg].is_over;
    case MODEL_TASKWAIT:
        *end = sim->strands[frame->strand].end;
        return sim->strands[frame->strand].children == 0;
    default:
        *end = sim->groups[op->arg].end;
        return sim->groups[op->arg].tasks == 0;
    }
}

/* Called when a thread reaches a barrier, taskwait or end of a taskgroup. */
static void arrive(struct sim *sim, struct sim_thread *thread, struct sim_frame *frame,
                   const struct model_op *op)
{
    if (op->kind == MODEL_TASKWAIT)
        sim->strands[frame->strand].waiter = thread->id;
    else if (op->kind == MODEL_GROUP_WAIT)
        sim->groups[op->arg].waiter = thread->id;
    if (op->kind != MODEL_BARRIER)
        return;
    sim->barriers[op->arg].arrivals += !frame->has_arrived;
    frame->has_arrived = true;
    sim_end_barrier(sim, thread, op->arg);
}

/* Returns the time to leave a wait that is over. One thread alone has none to wait for at a barrier, and the
 * function that a cut-off calls has no taskwait. */
static uint64_t wait_lag(const struct sim *sim, const struct sim_frame *frame, const struct model_op *op)
{
    if (op->kind == MODEL_TASKWAIT)
        return sim->strands[frame->strand].has_calls ? 0 : op->ns;
    if (op->kind != MODEL_BARRIER)
        return op->ns;
    const uint32_t team = sim->model->barriers.list[op->arg].team;
    const bool is_alone = sim_size(sim, team) == 1 && sim->model->teams.list[team].size > 1;
    return is_alone ? 0 : sim_lag(sim, op, op->place);
}

void sim_wait(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_frame *frame = sim_top(thread);
    if (sim->shares != NULL && op->kind == MODEL_BARRIER && !frame->even_share_done) {
        frame->even_share_done = true; /* return first, because another thread may be earlier after this */
        sim_compute(sim, thread, frame->op, sim->shares[op->arg], sim->shares[op->arg]);
        return;
    }
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    struct sim_moment end = {.time = 0};
    arrive(sim, thread, frame, op);
    const bool is_skipped = rule != NULL && rule->no_wait;
    if (is_skipped || is_over(sim, frame, op, &end)) {
        sim_advance_to(thread, &end);
        frame->has_arrived = frame->even_share_done = false;
        if (!is_skipped)
            sim_advance_by(sim, thread, frame->op, wait_lag(sim, frame, op));
        sim_next_op(sim, thread);
        return;
    }
    if (sim_take_task(sim, thread))
        return;
    struct sim_team *team = sim_team_of(sim, thread);
    thread->state = SIM_WAITING;
    thread->next = team->waiting;
    team->waiting = thread->id;
}
