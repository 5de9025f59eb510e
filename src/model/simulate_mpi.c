/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates calls of MPI: a call enters meetings when it begins, and ends when the meetings that it needs are
 * complete.
 */
#include "src/model/simulate_state.h"

#include "src/core/whole.h"

void sim_begin_call(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model *model = sim->model;
    sim_go_on(sim, thread);
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->links.list[i].next) {
        struct sim_meeting *meeting = &sim->meetings[model->links.list[i].meeting];
        if (thread->now.time >= meeting->end.time)
            meeting->end = thread->now;
        if (++meeting->arrivals >= model->meetings.list[model->links.list[i].meeting].needed)
            sim_wake_row(sim, &meeting->waiting, &meeting->end);
    }
}

/* Returns the first incomplete meeting that the call needs, or NULL. */
static struct sim_meeting *find_open(const struct sim *sim, const struct model_op *op)
{
    const struct model *model = sim->model;
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->links.list[i].next) {
        const uint32_t meeting = model->links.list[i].meeting;
        if (sim->meetings[meeting].arrivals < model->meetings.list[meeting].needed)
            return &sim->meetings[meeting];
    }
    return NULL;
}

void sim_end_call(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    const struct model *model = sim->model;
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_meeting *open = find_open(sim, op);
    if (open != NULL) {
        sim_block(sim, thread_id, &open->waiting);
        return;
    }
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->links.list[i].next)
        sim_later(thread, &sim->meetings[model->links.list[i].meeting].end);
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    sim_spend(sim, thread_id, sim_top(thread)->op,
              omptape_whole((double)op->ns * (rule != NULL ? rule->factor : 1)));
    sim_go_on(sim, thread);
}

void sim_force_call(struct sim *sim, const struct sim_thread *thread, const struct model_op *op)
{
    struct sim_meeting *open = find_open(sim, op);
    if (open == NULL)
        return;
    open->arrivals = UINT32_MAX / 2;
    sim_wake_row(sim, &open->waiting, &thread->now);
}
