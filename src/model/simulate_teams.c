/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates teams, also of another size than recorded. A surplus member skips its work, and an additional
 * thread executes a copy of another member's operations. Loops are redistributed.
 */
#include "src/model/simulate_state.h"

#include "src/core/array.h"
#include "src/core/whole.h"

void sim_block(struct sim_thread *thread, uint32_t *wait_list)
{
    thread->state = SIM_BLOCKED;
    thread->next = *wait_list;
    *wait_list = thread->id;
}

void sim_wake_list(struct sim *sim, uint32_t *wait_list, const struct sim_moment *moment)
{
    while (*wait_list != MODEL_NONE) {
        const uint32_t thread = *wait_list;
        *wait_list = sim->threads[thread].next;
        sim_wake(sim, thread, moment);
    }
}

/* Returns the operation after the end of the team whose begin is `begin`. */
static uint32_t op_after_team(const struct sim *sim, uint32_t begin)
{
    const struct model_op *ops = sim->model->ops.list;
    uint32_t op = begin;
    while (op != MODEL_NONE && (ops[op].kind != MODEL_TEAM_END || ops[op].arg != ops[begin].arg))
        op = ops[op].next;
    return op != MODEL_NONE ? ops[op].next : MODEL_NONE;
}

/* Starts additional members of an enlarged team. */
static void add_members(struct sim *sim, uint32_t team_id)
{
    const struct model_team *recorded = &sim->model->teams.list[team_id];
    const uint32_t size = sim_size(sim, team_id);
    for (uint32_t i = recorded->size; i < size && sim->unused_threads != MODEL_NONE; i++) {
        const uint32_t thread = sim->unused_threads;
        sim->unused_threads = sim->threads[thread].next;
        sim->threads[thread].now = sim->teams[team_id].fork;
        if (sim_push(sim, &sim->threads[thread],
                     (struct sim_frame){.op = recorded->begin,
                                        .end = op_after_team(sim, recorded->begin),
                                        .strand = MODEL_NONE,
                                        .loop = MODEL_NONE,
                                        .is_copy = true}))
            sim_wake(sim, thread, &sim->teams[team_id].fork);
    }
}

void sim_fork(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    if (sim_top(thread)->is_copy && op->arg != MODEL_NONE) { /* a nested team belongs to the copied member */
        const struct model_op *ops = sim->model->ops.list;
        uint32_t *at = &sim_top(thread)->op;
        while (*at != MODEL_NONE && (ops[*at].kind != MODEL_JOIN || ops[*at].arg != op->arg))
            *at = ops[*at].next;
        if (*at != MODEL_NONE)
            *at = ops[*at].next;
        return;
    }
    sim_next_op(sim, thread);
    if (op->arg == MODEL_NONE)
        return;
    struct sim_team *team = &sim->teams[op->arg];
    team->is_forked = true;
    team->fork = thread->now;
    sim_wake_list(sim, &team->blocked, &team->fork);
    add_members(sim, op->arg);
}

void sim_begin_team(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_team *team = &sim->teams[op->arg];
    if (!team->is_forked) {
        sim_block(thread, &team->blocked);
        return;
    }
    const uint32_t number = op->flag && !sim_top(thread)->is_copy ? 0 : ++team->numbers;
    sim_advance_to(thread, &team->fork);
    const uint32_t size = sim_size(sim, op->arg);
    if (number >= size && size < sim->model->teams.list[op->arg].size) {
        sim_top(thread)->op = op_after_team(sim, sim_top(thread)->op);
        return;
    }
    if (!OMPTAPE_RESERVE(thread->teams, thread->team_depth + 1, &thread->team_capacity)) {
        sim->no_memory = true;
        return;
    }
    thread->teams[thread->team_depth++] = (struct sim_member){.team = op->arg, .number = number};
    team->members++;
    const struct model_team *recorded = &sim->model->teams.list[op->arg];
    sim_advance_by(sim, thread, sim_top(thread)->op, sim_lag(sim, op, recorded->region));
    sim_next_op(sim, thread);
}

void sim_end_team(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_team *team = &sim->teams[op->arg];
    team->ended++;
    if (thread->now.time >= team->end.time)
        team->end = thread->now;
    thread->team_depth -= thread->team_depth > 0;
    sim_next_op(sim, thread);
    if (team->ended == team->members)
        sim_wake_list(sim, &team->blocked, &team->end);
}

/* The forking thread waits for the others here if the trace has no barrier at the region's end. */
void sim_join(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_team *team = &sim->teams[op->arg];
    if (sim->model->teams.list[op->arg].barrier == MODEL_NONE) {
        if (team->ended < team->members) {
            sim_block(thread, &team->blocked);
            return;
        }
        sim_advance_to(thread, &team->end);
    }
    sim_next_op(sim, thread);
}

/* The recording does not show the cost of single iterations, so all iterations of a member are assumed to
 * cost the same. The recorded parts, one after the other, are divided by the new size. */
uint64_t sim_slice(const struct sim *sim, const struct sim_thread *thread, const struct model_loop *loop)
{
    const struct model *model = sim->model;
    const double parts = loop->threads;
    const double size = sim_size(sim, loop->team);
    const double number = thread->team_depth > 0 ? thread->teams[thread->team_depth - 1].number : 0;
    const double from = number / size * parts;
    const double to = (number + 1) / size * parts;
    double sum = 0;
    for (uint32_t i = loop->part; i != MODEL_NONE; i = model->parts.list[i].next) {
        const double least = model->parts.list[i].index;
        const double begin = least > from ? least : from;
        const double end = least + 1 < to ? least + 1 : to;
        if (end > begin)
            sum += (end - begin) * (double)sim_part_work(sim, &model->parts.list[i]);
    }
    return omptape_whole(sum);
}
