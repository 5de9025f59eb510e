/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation (simulate.h): always the thread that is the earliest goes on, until its next operation
 * concerns others and another thread is earlier.
 */
#include "src/model/simulate_state.h"

#include "src/core/array.h"
#include "src/core/whole.h"

#include <errno.h>
#include <stdlib.h>

/* Loops whose iterations are not known are shared out in so many pieces for each thread. */
enum { PIECES = 64 };

static bool is_earlier(const struct sim *sim, uint32_t one, uint32_t other)
{
    const uint64_t time = sim->threads[one].now.time;
    const uint64_t others = sim->threads[other].now.time;
    return time != others ? time < others : one < other;
}

static void swap(uint32_t *one, uint32_t *other)
{
    const uint32_t kept = *one;
    *one = *other;
    *other = kept;
}

static void heap_push(struct sim *sim, uint32_t thread)
{
    uint32_t at = sim->heap_count++;
    sim->heap[at] = thread;
    for (; at > 0 && is_earlier(sim, sim->heap[at], sim->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&sim->heap[at], &sim->heap[(at - 1) / 2]);
}

static uint32_t heap_pop(struct sim *sim)
{
    const uint32_t first = sim->heap[0];
    uint32_t at = 0;
    sim->heap[0] = sim->heap[--sim->heap_count];
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < sim->heap_count; child++)
            if (is_earlier(sim, sim->heap[child], sim->heap[least]))
                least = child;
        if (least == at)
            return first;
        swap(&sim->heap[at], &sim->heap[least]);
        at = least;
    }
}

static void later(struct sim_thread *thread, const struct sim_moment *moment)
{
    if (moment->time > thread->now.time)
        thread->now = *moment;
}

void sim_wake(struct sim *sim, uint32_t thread, const struct sim_moment *moment)
{
    later(&sim->threads[thread], moment);
    sim->threads[thread].state = SIM_READY;
    heap_push(sim, thread);
}

void sim_spend(struct sim *sim, uint32_t thread_id, uint32_t op, uint64_t ns)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    thread->now.time += ns;
    if (sim->steps == NULL)
        return;
    if (sim->step_count >= MODEL_NONE - 1 ||
        !OMPTAPE_RESERVE(sim->steps, sim->step_count + 1, &sim->step_room)) {
        sim->no_memory = true;
        return;
    }
    sim->steps[sim->step_count] =
        (struct simulate_step){.op = op, .before = thread->now.step, .thread = thread_id};
    thread->now.step = sim->step_count++;
}

bool sim_push(struct sim *sim, struct sim_thread *thread, struct sim_frame frame)
{
    if (!OMPTAPE_RESERVE(thread->frames, thread->depth + 1, &thread->room)) {
        sim->no_memory = true;
        return false;
    }
    thread->frames[thread->depth++] = frame;
    return true;
}

static const struct model_op *op_at(const struct sim *sim, uint32_t op)
{
    return &sim->model->ops.list[op];
}

static const struct simulate_rule *rule_at(const struct sim *sim, uint32_t place)
{
    return sim->rules != NULL ? &sim->rules[place] : NULL;
}

static void go_on(const struct sim *sim, struct sim_thread *thread)
{
    struct sim_frame *frame = sim_top(thread);
    frame->op = op_at(sim, frame->op)->next;
}

static uint64_t scaled(const struct sim *sim, const struct model_op *op)
{
    const struct simulate_rule *rule = rule_at(sim, op->place);
    return rule != NULL ? omptape_whole((double)op->ns * rule->factor) : op->ns;
}

static void block(struct sim *sim, uint32_t thread, uint32_t *row)
{
    sim->threads[thread].state = SIM_BLOCKED;
    sim->threads[thread].next = *row;
    *row = thread;
}

static void wake_row(struct sim *sim, uint32_t *row, const struct sim_moment *moment)
{
    while (*row != MODEL_NONE) {
        const uint32_t thread = *row;
        *row = sim->threads[thread].next;
        sim_wake(sim, thread, moment);
    }
}

static void do_fork(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    go_on(sim, thread);
    if (op->arg == MODEL_NONE)
        return;
    struct sim_team *team = &sim->teams[op->arg];
    team->is_forked = true;
    team->fork = thread->now;
    wake_row(sim, &team->blocked, &team->fork);
}

static void do_team_begin(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_team *team = &sim->teams[op->arg];
    if (!team->is_forked) {
        block(sim, thread_id, &team->blocked);
        return;
    }
    if (!OMPTAPE_RESERVE(thread->teams, thread->team_depth + 1, &thread->team_room)) {
        sim->no_memory = true;
        return;
    }
    thread->teams[thread->team_depth++] = op->arg;
    team->members++;
    later(thread, &team->fork);
    sim_spend(sim, thread_id, sim_top(thread)->op, op->ns);
    go_on(sim, thread);
}

static void do_team_end(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_team *team = &sim->teams[op->arg];
    team->ended++;
    if (thread->now.time >= team->end.time)
        team->end = thread->now;
    thread->team_depth -= thread->team_depth > 0;
    go_on(sim, thread);
    if (team->ended == team->members)
        wake_row(sim, &team->blocked, &team->end);
}

/* Where the trace has no barrier at the end of the region, the fork's thread waits for the others here. */
static void do_join(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_team *team = &sim->teams[op->arg];
    if (sim->model->teams.list[op->arg].barrier == MODEL_NONE) {
        if (team->ended < team->members) {
            block(sim, thread_id, &team->blocked);
            return;
        }
        later(thread, &team->end);
    }
    go_on(sim, thread);
}

static void do_acquire(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_lock *lock = &sim->locks[op->arg];
    const struct simulate_rule *rule = rule_at(sim, op->place);
    const bool is_free = rule != NULL && rule->no_wait;
    if (!is_free && lock->holder != MODEL_NONE && lock->holder != thread_id) {
        thread->state = SIM_BLOCKED;
        thread->next = MODEL_NONE;
        if (lock->first == MODEL_NONE)
            lock->first = thread_id;
        else
            sim->threads[lock->last].next = thread_id;
        lock->last = thread_id;
        return;
    }
    if (!is_free)
        lock->holder = thread_id;
    sim_spend(sim, thread_id, sim_top(thread)->op, op->ns);
    go_on(sim, thread);
}

/* The lock is free for the thread that has waited for the longest time. */
static void hand_over(struct sim *sim, struct sim_lock *lock, const struct sim_moment *moment)
{
    const uint32_t next = lock->first;
    lock->holder = next;
    if (next == MODEL_NONE)
        return;
    lock->first = sim->threads[next].next;
    sim_wake(sim, next, moment);
}

static void do_release(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_lock *lock = &sim->locks[op->arg];
    go_on(sim, thread);
    if (lock->holder == thread_id)
        hand_over(sim, lock, &thread->now);
}

/* Is what this thread waits for over? Then since when? */
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

/* It comes to a barrier, or to the place where it waits for tasks. */
static void arrive(struct sim *sim, uint32_t thread_id, struct sim_frame *frame, const struct model_op *op)
{
    if (op->kind == MODEL_TASKWAIT)
        sim->strands[frame->strand].waiter = thread_id;
    else if (op->kind == MODEL_GROUP_WAIT)
        sim->groups[op->arg].waiter = thread_id;
    if (op->kind != MODEL_BARRIER)
        return;
    sim->barriers[op->arg].arrivals += !frame->has_come;
    frame->has_come = true;
    sim_end_barrier(sim, thread_id, op->arg);
}

static void do_wait(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_frame *frame = sim_top(thread);
    const struct simulate_rule *rule = rule_at(sim, op->place);
    struct sim_moment end = {.time = 0};
    arrive(sim, thread_id, frame, op);
    const bool is_left_out = rule != NULL && rule->no_wait;
    if (is_left_out || is_over(sim, frame, op, &end)) {
        later(thread, &end);
        frame->has_come = false;
        if (!is_left_out)
            sim_spend(sim, thread_id, frame->op, op->ns);
        go_on(sim, thread);
        return;
    }
    if (sim_take_task(sim, thread_id))
        return;
    struct sim_team *team = sim_team_of(sim, thread);
    thread->state = SIM_WAITING;
    thread->next = team->waiting;
    team->waiting = thread_id;
}

/* The operation behind the loop; MODEL_NONE: its end was not recorded. */
static uint32_t behind_loop(const struct sim *sim, const struct model_op *begin)
{
    const uint32_t end = (uint32_t)begin->ns;
    return end != 0 && op_at(sim, end)->kind == MODEL_LOOP_END && op_at(sim, end)->arg == begin->arg
               ? end
               : MODEL_NONE;
}

static uint64_t work_of_part(const struct sim *sim, const struct model_part *part)
{
    uint64_t sum = 0;
    for (uint32_t op = part->first; op != MODEL_NONE && op_at(sim, op)->kind != MODEL_LOOP_END;
         op = op_at(sim, op)->next)
        if (op_at(sim, op)->kind == MODEL_WORK)
            sum += scaled(sim, op_at(sim, op));
    return sum;
}

static void begin_loop(const struct sim *sim, struct sim_loop *loop, const struct model_loop *recorded)
{
    loop->has_begun = true;
    loop->chunk = recorded->chunk;
    for (uint32_t i = recorded->part; i != MODEL_NONE; i = sim->model->parts.list[i].next)
        loop->left += work_of_part(sim, &sim->model->parts.list[i]);
    loop->piece = loop->left / PIECES / (recorded->threads > 0 ? recorded->threads : 1) + 1;
}

/* A part without chunks: takes a piece of what is left of all. */
static void take_piece(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    struct sim_loop *loop = &sim->loops[op->arg];
    const uint64_t piece = loop->left < loop->piece ? loop->left : loop->piece;
    if (piece == 0) {
        sim_top(thread)->op = behind_loop(sim, op);
        return;
    }
    loop->left -= piece;
    sim_spend(sim, thread_id, sim_top(thread)->op, piece);
}

static void do_loop_begin(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    const struct model_loop *recorded = &sim->model->loops.list[op->arg];
    const struct simulate_rule *rule = rule_at(sim, recorded->place);
    struct sim_loop *loop = &sim->loops[op->arg];
    const bool in_turn = rule != NULL && rule->loop == SIMULATE_IN_TURN;
    const bool has_chunks = recorded->schedule != MODEL_STATIC && recorded->chunk != MODEL_NONE;
    if (behind_loop(sim, op) == MODEL_NONE || (!in_turn && !has_chunks)) {
        go_on(sim, thread);
        return;
    }
    if (!loop->has_begun)
        begin_loop(sim, loop, recorded);
    if (!has_chunks) {
        take_piece(sim, thread_id, op);
        return;
    }
    sim_top(thread)->loop = op->arg;
    go_on(sim, thread);
}

/* Takes the loop's next chunk; with none left, the thread is behind the loop. */
static void do_chunk(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_frame *frame = sim_top(thread);
    if (frame->loop == MODEL_NONE || (op->kind == MODEL_LOOP_END && op->arg != frame->loop)) {
        go_on(sim, thread);
        return;
    }
    struct sim_loop *loop = &sim->loops[frame->loop];
    if (loop->chunk == MODEL_NONE) {
        while (op_at(sim, frame->op)->kind != MODEL_LOOP_END || op_at(sim, frame->op)->arg != frame->loop)
            frame->op = op_at(sim, frame->op)->next;
        frame->loop = MODEL_NONE;
        go_on(sim, thread);
        return;
    }
    const struct model_chunk *chunk = &sim->model->chunks.list[loop->chunk];
    loop->chunk = chunk->next;
    if (chunk->end != MODEL_NONE)
        sim_push(sim, thread,
                 (struct sim_frame){.op = op_at(sim, chunk->first)->next,
                                    .end = chunk->end,
                                    .strand = frame->strand,
                                    .loop = MODEL_NONE});
}

static void do_op(struct sim *sim, uint32_t thread_id, const struct model_op *op)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    switch (op->kind) {
    case MODEL_FORK:
        do_fork(sim, thread, op);
        break;
    case MODEL_TEAM_BEGIN:
        do_team_begin(sim, thread_id, op);
        break;
    case MODEL_TEAM_END:
        do_team_end(sim, thread, op);
        break;
    case MODEL_JOIN:
        do_join(sim, thread_id, op);
        break;
    case MODEL_ACQUIRE:
        do_acquire(sim, thread_id, op);
        break;
    case MODEL_RELEASE:
        do_release(sim, thread_id, op);
        break;
    case MODEL_CREATE:
    case MODEL_RUN:
        go_on(sim, thread);
        sim_create(sim, thread_id, op->arg, op->kind == MODEL_RUN);
        break;
    case MODEL_BARRIER:
    case MODEL_TASKWAIT:
    case MODEL_GROUP_WAIT:
        do_wait(sim, thread_id, op);
        break;
    case MODEL_LOOP_BEGIN:
        do_loop_begin(sim, thread_id, op);
        break;
    case MODEL_CHUNK:
    case MODEL_LOOP_END:
        do_chunk(sim, thread, op);
        break;
    default:
        go_on(sim, thread);
        break;
    }
}

/* A strand or a chunk has ended. */
static void end_frame(struct sim *sim, uint32_t thread_id)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    const struct sim_frame ended = *sim_top(thread);
    thread->depth--;
    if (ended.is_task)
        sim_complete(sim, thread_id, ended.strand);
    if (thread->depth == 0)
        thread->state = SIM_DONE;
}

static bool is_of_thread_alone(const struct model_op *op)
{
    return op->kind == MODEL_WORK || op->kind == MODEL_SAMPLE;
}

/* The thread goes on until it waits, or another one is earlier. */
static void run_thread(struct sim *sim, uint32_t thread_id)
{
    struct sim_thread *thread = &sim->threads[thread_id];
    while (thread->state == SIM_READY && !sim->no_memory) {
        const struct sim_frame *frame = sim_top(thread);
        const bool is_end = frame->op == frame->end || frame->op == MODEL_NONE;
        const struct model_op *op = is_end ? NULL : op_at(sim, frame->op);
        if (op != NULL && is_of_thread_alone(op)) {
            sim_spend(sim, thread_id, frame->op, scaled(sim, op));
            go_on(sim, thread);
        } else if (sim->heap_count > 0 && is_earlier(sim, sim->heap[0], thread_id)) {
            heap_push(sim, thread_id);
            return;
        } else if (op == NULL) {
            end_frame(sim, thread_id);
        } else {
            do_op(sim, thread_id, op);
        }
    }
}

/* Nobody can go on: something is missing in the trace. The earliest thread goes on without it. */
static bool force_one(struct sim *sim)
{
    uint32_t first = MODEL_NONE;
    for (uint32_t i = 0; i < sim->model->threads.count; i++)
        if (sim->threads[i].state != SIM_DONE && (first == MODEL_NONE || is_earlier(sim, i, first)))
            first = i;
    if (first == MODEL_NONE)
        return false;
    struct sim_thread *thread = &sim->threads[first];
    const struct model_op *op = op_at(sim, sim_top(thread)->op);
    sim->forced++;
    if (op->kind == MODEL_TEAM_BEGIN || op->kind == MODEL_JOIN) {
        struct sim_team *team = &sim->teams[op->arg];
        team->is_forked = true;
        team->ended = team->members;
        wake_row(sim, &team->blocked, &thread->now);
    } else if (op->kind == MODEL_ACQUIRE) {
        hand_over(sim, &sim->locks[op->arg], &thread->now);
    } else {
        sim_stop_waiting(sim, first);
        sim_top(thread)->has_come = false;
        go_on(sim, thread);
        sim_wake(sim, first, &thread->now);
    }
    return true;
}

static bool allocate(struct sim *sim)
{
    const struct model *model = sim->model;
    sim->threads = calloc(model->threads.count + 1U, sizeof(*sim->threads));
    sim->heap = calloc(model->threads.count + 1U, sizeof(*sim->heap));
    sim->strands = calloc(model->strands.count + 1U, sizeof(*sim->strands));
    sim->teams = calloc(model->teams.count + 1U, sizeof(*sim->teams));
    sim->barriers = calloc(model->barriers.count + 1U, sizeof(*sim->barriers));
    sim->locks = calloc(model->locks + 1U, sizeof(*sim->locks));
    sim->groups = calloc(model->groups + 1U, sizeof(*sim->groups));
    sim->loops = calloc(model->loops.count + 1U, sizeof(*sim->loops));
    return sim->threads != NULL && sim->heap != NULL && sim->strands != NULL && sim->teams != NULL &&
           sim->barriers != NULL && sim->locks != NULL && sim->groups != NULL && sim->loops != NULL;
}

static void begin(struct sim *sim)
{
    const struct model *model = sim->model;
    for (uint32_t i = 0; i < model->strands.count; i++) {
        sim->strands[i].waits = model->strands.list[i].waits;
        sim->strands[i].waiter = MODEL_NONE;
        sim->strands[i].end.step = MODEL_NONE;
    }
    for (uint32_t i = 0; i <= model->teams.count; i++)
        sim->teams[i] = (struct sim_team){.fork.step = MODEL_NONE,
                                          .end.step = MODEL_NONE,
                                          .oldest = MODEL_NONE,
                                          .newest = MODEL_NONE,
                                          .waiting = MODEL_NONE,
                                          .blocked = MODEL_NONE};
    for (uint32_t i = 0; i < model->locks; i++)
        sim->locks[i] = (struct sim_lock){.holder = MODEL_NONE, .first = MODEL_NONE, .last = MODEL_NONE};
    for (uint32_t i = 0; i < model->groups; i++)
        sim->groups[i] = (struct sim_group){.waiter = MODEL_NONE, .end.step = MODEL_NONE};
    for (uint32_t i = 0; i < model->threads.count; i++) {
        const struct model_thread *recorded = &model->threads.list[i];
        struct sim_thread *thread = &sim->threads[i];
        thread->now.step = MODEL_NONE;
        thread->now.time = recorded->is_initial ? recorded->begin : 0;
        if (sim_push(sim, thread,
                     (struct sim_frame){.op = model->strands.list[recorded->strand].first,
                                        .end = MODEL_NONE,
                                        .strand = recorded->strand,
                                        .loop = MODEL_NONE}))
            heap_push(sim, i);
    }
}

static void conclude(const struct sim *sim, struct simulate_result *result)
{
    *result = (struct simulate_result){.forced = sim->forced, .last = MODEL_NONE, .steps = sim->steps};
    for (uint32_t i = 0; i < sim->model->threads.count; i++) {
        const struct sim_moment *end = &sim->threads[i].now;
        if (end->time > result->wall) {
            result->wall = end->time;
            result->last = end->step;
        }
    }
}

static void free_sim(struct sim *sim)
{
    for (uint32_t i = 0; sim->threads != NULL && i < sim->model->threads.count; i++) {
        free(sim->threads[i].frames);
        free(sim->threads[i].teams);
    }
    free(sim->threads);
    free(sim->heap);
    free(sim->strands);
    free(sim->teams);
    free(sim->barriers);
    free(sim->locks);
    free(sim->groups);
    free(sim->loops);
}

int simulate_run(const struct model *model, const struct simulate_rule *rules, bool with_steps,
                 struct simulate_result *result)
{
    struct sim sim = {.model = model, .rules = rules};
    sim.no_memory =
        !allocate(&sim) || (with_steps && !OMPTAPE_RESERVE(sim.steps, model->ops.count + 1, &sim.step_room));
    if (!sim.no_memory)
        begin(&sim);
    while (!sim.no_memory && (sim.heap_count > 0 || force_one(&sim)))
        if (sim.heap_count > 0)
            run_thread(&sim, heap_pop(&sim));
    *result = (struct simulate_result){.last = MODEL_NONE};
    if (sim.no_memory)
        free(sim.steps);
    else
        conclude(&sim, result);
    free_sim(&sim);
    return sim.no_memory ? -ENOMEM : 0;
}
