/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates calls of MPI: a call enters synchronisations when it begins, and ends when the synchronisations
 * that it needs are complete.
 */
#include "src/model/simulate_state.h"

#include "src/core/whole.h"

void sim_begin_call(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model *model = sim->model;
    sim_next_op(sim, thread);
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->sync_links.list[i].next) {
        struct sim_sync *sync = &sim->syncs[model->sync_links.list[i].sync];
        if (thread->now.time >= sync->end.time)
            sync->end = thread->now;
        if (++sync->arrivals >= model->syncs.list[model->sync_links.list[i].sync].needed)
            sim_wake_list(sim, &sync->waiting, &sync->end);
    }
}

/* Returns the first incomplete synchronisation that the call needs, or NULL. */
static struct sim_sync *find_open(const struct sim *sim, const struct model_op *op)
{
    const struct model *model = sim->model;
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->sync_links.list[i].next) {
        const uint32_t sync = model->sync_links.list[i].sync;
        if (sim->syncs[sync].arrivals < model->syncs.list[sync].needed)
            return &sim->syncs[sync];
    }
    return NULL;
}

void sim_end_call(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model *model = sim->model;
    struct sim_sync *open = find_open(sim, op);
    if (open != NULL) {
        sim_block(thread, &open->waiting);
        return;
    }
    for (uint32_t i = op->arg; i != MODEL_NONE; i = model->sync_links.list[i].next)
        sim_advance_to(thread, &sim->syncs[model->sync_links.list[i].sync].end);
    const struct simulate_rule *rule = op->flag ? NULL : sim_rule(sim, op->place);
    sim_advance_by(sim, thread, sim_top(thread)->op,
                   omptape_whole((double)op->ns * (rule != NULL ? rule->factor : 1)));
    sim_next_op(sim, thread);
}

void sim_force_call(struct sim *sim, const struct sim_thread *thread, const struct model_op *op)
{
    struct sim_sync *open = find_open(sim, op);
    if (open == NULL)
        return;
    open->arrivals = UINT32_MAX / 2;
    sim_wake_list(sim, &open->waiting, &thread->now);
}
