/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates tasks: an idle thread of the team takes a task as soon as one is ready. It prefers those that it
 * created itself, in the order of the recorded runtime, then the oldest task of the team.
 */
#include "src/model/simulate_state.h"

static struct sim_team *team_of(const struct sim *sim, uint32_t strand)
{
    const uint32_t team = sim->model->strands.list[strand].team;
    return &sim->teams[team != MODEL_NONE ? team : sim->model->teams.count];
}

void sim_stop_waiting(struct sim *sim, const struct sim_thread *thread)
{
    struct sim_team *team = sim_team_of(sim, thread);
    uint32_t *at = &team->waiting;
    while (*at != MODEL_NONE && *at != thread->id)
        at = &sim->threads[*at].next;
    if (*at == thread->id)
        *at = thread->next;
}

/* Makes a waiting thread ready, so that it checks its condition again. */
static void wake_waiting(struct sim *sim, uint32_t id, const struct sim_moment *moment)
{
    if (id == MODEL_NONE || sim->threads[id].state != SIM_WAITING)
        return;
    sim_stop_waiting(sim, &sim->threads[id]);
    sim_wake(sim, id, moment);
}

static void make_ready(struct sim *sim, uint32_t strand_id, const struct sim_moment *moment)
{
    struct sim_strand *strand = &sim->strands[strand_id];
    struct sim_team *team = team_of(sim, strand_id);
    strand->ready = *moment;
    strand->older = team->newest;
    strand->newer = MODEL_NONE;
    if (team->newest != MODEL_NONE)
        sim->strands[team->newest].newer = strand_id;
    else
        team->oldest = strand_id;
    team->newest = strand_id;
    for (uint32_t i = 0; i < strand->pieces && team->waiting != MODEL_NONE; i++)
        wake_waiting(sim, team->waiting, moment);
}

static void remove_ready(struct sim *sim, uint32_t strand_id)
{
    const struct sim_strand *strand = &sim->strands[strand_id];
    struct sim_team *team = team_of(sim, strand_id);
    if (strand->older != MODEL_NONE)
        sim->strands[strand->older].newer = strand->newer;
    else
        team->oldest = strand->newer;
    if (strand->newer != MODEL_NONE)
        sim->strands[strand->newer].older = strand->older;
    else
        team->newest = strand->older;
}

static bool push_task(struct sim *sim, struct sim_thread *thread, uint32_t strand, uint32_t parts)
{
    return sim_push(sim, thread,
                    (struct sim_frame){.op = sim->model->strands.list[strand].first,
                                       .end = MODEL_NONE,
                                       .strand = strand,
                                       .loop = MODEL_NONE,
                                       .parts = parts,
                                       .is_task = true});
}

/* Returns the number of pieces of a task. Only a task that contains nothing but work is divided. */
static uint32_t count_pieces(const struct sim *sim, const struct model_op *op)
{
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    return rule != NULL && rule->pieces > 1 && op->kind == MODEL_CREATE &&
                   sim_is_work_alone(sim, sim->model->strands.list[op->arg].first, MODEL_NONE)
               ? rule->pieces
               : 1;
}

/* The creator executes the task as if it called a function. */
static void run_at_once(struct sim *sim, struct sim_thread *thread, uint32_t strand)
{
    const uint32_t first = sim->model->strands.list[strand].first;
    thread->saved += sim->model->create_ns;
    if (!push_task(sim, thread, strand, 1))
        return;
    if (first != MODEL_NONE && sim_op(sim, first)->kind == MODEL_WORK && sim_op(sim, first)->flag)
        sim_next_op(sim, thread);
}

void sim_create(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model_strand *task = &sim->model->strands.list[op->arg];
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    struct sim_strand *strand = &sim->strands[op->arg];
    sim_next_op(sim, thread);
    team_of(sim, op->arg)->tasks++;
    sim->strands[task->parent].children++;
    if (task->group != MODEL_NONE)
        sim->groups[task->group].tasks++;
    strand->is_created = true;
    strand->level = sim->strands[task->parent].level + 1;
    const bool is_cut_off = rule != NULL && rule->levels > 0 && strand->level > rule->levels;
    sim->strands[task->parent].has_calls |= is_cut_off;
    strand->ignores_dependences = is_cut_off || op->kind == MODEL_RUN || (rule != NULL && rule->no_depend);
    strand->parts = strand->pieces = strand->open = count_pieces(sim, op);
    if (op->kind == MODEL_RUN)
        push_task(sim, thread, op->arg, 1);
    else if (is_cut_off)
        run_at_once(sim, thread, op->arg);
    else if (strand->waits == 0 || strand->ignores_dependences)
        make_ready(sim, op->arg, &thread->now);
}

/* Returns the newest task that the thread created, if it is among the MAX_LOOKED_AT newest ones; else the
 * oldest task. Where the recorded threads took their oldest tasks first, the same from the other end. */
static uint32_t choose_task(const struct sim *sim, const struct sim_thread *thread,
                            const struct sim_team *team)
{
    enum { MAX_LOOKED_AT = 8 };
    const bool is_oldest_first = sim->model->newest_first < 0;
    uint32_t strand = is_oldest_first ? team->oldest : team->newest;
    for (int i = 0; i < MAX_LOOKED_AT && strand != MODEL_NONE; i++) {
        for (uint32_t j = 0; j < thread->depth; j++)
            if (sim->model->strands.list[strand].parent == thread->frames[j].strand)
                return strand;
        strand = is_oldest_first ? sim->strands[strand].newer : sim->strands[strand].older;
    }
    return team->oldest;
}

bool sim_take_task(struct sim *sim, struct sim_thread *thread)
{
    const struct sim_team *team = sim_team_of(sim, thread);
    if (team->newest == MODEL_NONE)
        return false;
    const uint32_t strand = choose_task(sim, thread, team);
    if (--sim->strands[strand].pieces == 0)
        remove_ready(sim, strand);
    if (sim->strands[strand].ready.time > thread->now.time)
        thread->now = sim->strands[strand].ready;
    return push_task(sim, thread, strand, sim->strands[strand].parts);
}

void sim_end_barrier(struct sim *sim, const struct sim_thread *thread, uint32_t barrier_id)
{
    const struct model_barrier *recorded = &sim->model->barriers.list[barrier_id];
    struct sim_barrier *barrier = &sim->barriers[barrier_id];
    struct sim_team *team = &sim->teams[recorded->team];
    const uint32_t size = sim_size(sim, recorded->team);
    const uint32_t recorded_size = sim->model->teams.list[recorded->team].size;
    const uint32_t expected = size != recorded_size ? size : recorded->arrivals;
    if (barrier->is_over || barrier->arrivals < expected || team->tasks > 0)
        return;
    barrier->is_over = true;
    barrier->end = thread->now;
    while (team->waiting != MODEL_NONE)
        wake_waiting(sim, team->waiting, &barrier->end);
}

/* Called when a task of the team has ended. The last one may end the team's barrier. */
static void end_task_of_team(struct sim *sim, const struct sim_thread *thread, struct sim_team *team)
{
    if (--team->tasks > 0 || team->waiting == MODEL_NONE)
        return;
    const struct sim_thread *waiting = &sim->threads[team->waiting];
    const struct model_op *op = &sim->model->ops.list[sim_top(waiting)->op];
    if (op->kind == MODEL_BARRIER)
        sim_end_barrier(sim, thread, op->arg);
}

void sim_complete(struct sim *sim, struct sim_thread *thread, uint32_t strand_id)
{
    const struct model *model = sim->model;
    const struct model_strand *task = &model->strands.list[strand_id];
    const struct sim_moment now = thread->now;
    if (--sim->strands[strand_id].open > 0)
        return;
    for (uint32_t i = task->edge; i != MODEL_NONE; i = model->edges.list[i].next) {
        const uint32_t after = model->edges.list[i].strand;
        if (--sim->strands[after].waits == 0 && sim->strands[after].is_created &&
            !sim->strands[after].ignores_dependences)
            make_ready(sim, after, &now);
    }
    struct sim_strand *parent = &sim->strands[task->parent];
    parent->children--;
    parent->end = now;
    if (parent->children == 0)
        wake_waiting(sim, parent->waiter, &now);
    if (task->group != MODEL_NONE) {
        struct sim_group *group = &sim->groups[task->group];
        group->end = now;
        if (--group->tasks == 0)
            wake_waiting(sim, group->waiter, &now);
    }
    end_task_of_team(sim, thread, team_of(sim, strand_id));
}
