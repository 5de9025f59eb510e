/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates loops: chunks are taken in turn or assigned by thread number. For loops without chunks, the
 * recording contains only each thread's total.
 */
#include "src/model/simulate_state.h"

#include "src/core/loop_counter.h"
#include "src/core/whole.h"

/* A loop with unknown iterations is divided into this number of pieces per thread. */
enum { PIECES = 64 };

/* Returns the operation that ends the loop, or MODEL_NONE if the end was not recorded. */
static uint32_t op_after_loop(const struct sim *sim, const struct model_op *begin)
{
    const uint32_t end = (uint32_t)begin->ns;
    return end != 0 && sim_op(sim, end)->kind == MODEL_LOOP_END && sim_op(sim, end)->arg == begin->arg
               ? end
               : MODEL_NONE;
}

uint64_t sim_part_work(const struct sim *sim, const struct model_part *part)
{
    uint64_t sum = 0;
    const uint32_t loop = sim_op(sim, part->first)->arg;
    for (const struct model_op *op = sim_op(sim, part->first); op->kind != MODEL_LOOP_END || op->arg != loop;
         op = sim_op(sim, op->next)) {
        sum += op->kind == MODEL_WORK ? sim_work(sim, op) : 0;
        if (op->next == MODEL_NONE)
            break;
    }
    return sum;
}

/* Returns the iterations of a chunk; 1 if unknown. */
static uint64_t iterations_of(const struct model_chunk *chunk)
{
    return chunk->iterations > 0 ? chunk->iterations : 1;
}

static enum simulate_loop schedule_of(const struct sim *sim, const struct model_loop *recorded)
{
    const struct simulate_rule *rule = sim_rule(sim, recorded->place);
    return rule != NULL ? rule->loop : SIMULATE_AS_RECORDED;
}

/* Returns true if the loop's team has another size than in the recording. */
static bool is_resized(const struct sim *sim, const struct model_loop *loop)
{
    return sim_size(sim, loop->team) != sim->model->teams.list[loop->team].size;
}

/* Many threads that take short chunks queue at the loop's counter. Then all chunks take as long as a round of
 * the threads, except for the very first one, which shows the work in a chunk. */
static void measure_turns(struct sim *sim, struct sim_loop *loop, const struct model_loop *recorded)
{
    enum { ALIKE = 4 };
    const struct model_chunk *chunks = sim->model->chunks.list;
    uint64_t count = 0;
    uint64_t others = 0;
    uint64_t sum = 0;
    for (uint32_t i = recorded->chunk; i != MODEL_NONE; i = chunks[i].next, count++)
        sum += model_chunk_work(sim->model, &chunks[i]);
    if (count < OMPTAPE_COUNTER_CHUNKS)
        return;
    const uint64_t mean = sum / count;
    const uint64_t first = sim->model->places.list[recorded->place].first_chunk;
    if (mean > OMPTAPE_COUNTER_NS * recorded->threads || 2 * first > mean || first < sim->model->chunk_ns)
        return;
    for (uint32_t i = recorded->chunk; i != MODEL_NONE; i = chunks[i].next) {
        const uint64_t ns = model_chunk_work(sim->model, &chunks[i]);
        others += ns > mean + mean / ALIKE || ns < mean - mean / ALIKE;
    }
    if (others > count / 10)
        return;
    loop->turn = mean / recorded->threads;
    loop->chunk_cost = mean - (first - sim->model->chunk_ns);
}

static void begin_loop(struct sim *sim, struct sim_loop *loop, const struct model_loop *recorded)
{
    const struct model *model = sim->model;
    loop->has_begun = true;
    loop->chunk = recorded->chunk;
    for (uint32_t i = recorded->part; i != MODEL_NONE; i = model->parts.list[i].next)
        loop->left += sim_part_work(sim, &model->parts.list[i]);
    for (uint32_t i = recorded->chunk; i != MODEL_NONE; i = model->chunks.list[i].next)
        loop->iterations += iterations_of(&model->chunks.list[i]);
    loop->piece = loop->left / PIECES / sim_size(sim, recorded->team) + 1;
    loop->chunk_cost = model->chunk_ns;
    loop->free_at.step = MODEL_NONE;
    if (recorded->threads >= OMPTAPE_COUNTER_THREADS &&
        (schedule_of(sim, recorded) != SIMULATE_AS_RECORDED || is_resized(sim, recorded)))
        measure_turns(sim, loop, recorded);
}

/* Returns the next guided part, half of each thread's share of the rest, as in LLVM's runtime. */
static uint64_t guided_part(const struct sim *sim, const struct model_loop *recorded, uint64_t left)
{
    return left / 2 / sim_size(sim, recorded->team);
}

/* For a loop without chunks: takes a piece of the work that is left. */
static void take_piece(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model_loop *recorded = &sim->model->loops.list[op->arg];
    struct sim_loop *loop = &sim->loops[op->arg];
    const uint64_t guided =
        schedule_of(sim, recorded) == SIMULATE_GUIDED ? guided_part(sim, recorded, loop->left) : 0;
    const uint64_t most = guided > loop->piece ? guided : loop->piece;
    const uint64_t piece = loop->left < most ? loop->left : most;
    if (piece == 0) {
        sim_top(thread)->op = op_after_loop(sim, op);
        return;
    }
    loop->left -= piece;
    sim_compute(sim, thread, sim_top(thread)->op, piece, piece);
}

void sim_begin_loop(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct model_loop *recorded = &sim->model->loops.list[op->arg];
    const enum simulate_loop schedule = schedule_of(sim, recorded);
    struct sim_loop *loop = &sim->loops[op->arg];
    const bool has_chunks = recorded->schedule != MODEL_STATIC && recorded->chunk != MODEL_NONE;
    if (op_after_loop(sim, op) == MODEL_NONE ||
        (schedule == SIMULATE_AS_RECORDED && !has_chunks && !is_resized(sim, recorded))) {
        sim_next_op(sim, thread);
        return;
    }
    if (!loop->has_begun)
        begin_loop(sim, loop, recorded);
    if (!has_chunks && is_resized(sim, recorded)) {
        sim_top(thread)->op = op_after_loop(sim, op);
        const uint64_t slice = sim_slice(sim, thread, recorded);
        sim_compute(sim, thread, sim_top(thread)->op, slice, slice);
        return;
    }
    if (!has_chunks) {
        take_piece(sim, thread, op);
        return;
    }
    struct sim_frame *frame = sim_top(thread);
    frame->loop = op->arg;
    frame->chunk = schedule == SIMULATE_STATIC ? recorded->chunk : MODEL_NONE;
    frame->block_end = MODEL_NONE;
    frame->position = 0;
    sim_next_op(sim, thread);
}

/* Returns a chunk's number of pieces. It is divided if it is longer than the wanted size and only work. */
static uint32_t pieces_of(const struct sim *sim, const struct model_chunk *chunk, uint64_t wanted)
{
    if (wanted == 0 || chunk->iterations <= wanted || chunk->end == MODEL_NONE ||
        !sim_is_work_alone(sim, sim_op(sim, chunk->first)->next, chunk->end))
        return 1;
    const uint64_t pieces = (chunk->iterations + wanted - 1) / wanted;
    return pieces < UINT32_MAX ? (uint32_t)pieces : UINT32_MAX;
}

/* Returns the thread's next chunk in a static schedule: one whose middle iteration belongs to the thread.
 * Returns NULL if there is none. */
static const struct model_chunk *next_of_number(const struct sim *sim, const struct sim_thread *thread,
                                                struct sim_frame *frame, const struct simulate_rule *rule)
{
    const struct model_loop *recorded = &sim->model->loops.list[frame->loop];
    const double all = (double)sim->loops[frame->loop].iterations;
    const uint32_t size = sim_size(sim, recorded->team);
    const uint32_t number = thread->team_depth > 0 ? thread->teams[thread->team_depth - 1].number : 0;
    while (frame->chunk != MODEL_NONE) {
        const struct model_chunk *chunk = &sim->model->chunks.list[frame->chunk];
        const uint64_t middle = frame->position + (iterations_of(chunk) - 1) / 2;
        const uint64_t owner =
            rule->chunk > 0 ? middle / rule->chunk % size : (uint64_t)((double)middle / all * (double)size);
        frame->position += iterations_of(chunk);
        frame->chunk = chunk->next;
        if (owner == number)
            return chunk;
    }
    return NULL;
}

/* Assigns the loop's next chunks to the thread, up to `wanted` iterations, but at least one chunk. */
static void take_block(const struct sim *sim, struct sim_frame *frame, uint64_t wanted)
{
    const struct model_chunk *chunks = sim->model->chunks.list;
    struct sim_loop *loop = &sim->loops[frame->loop];
    uint64_t sum = 0;
    frame->chunk = loop->chunk;
    do {
        sum += iterations_of(&chunks[loop->chunk]);
        loop->chunk = chunks[loop->chunk].next;
    } while (loop->chunk != MODEL_NONE && sum + iterations_of(&chunks[loop->chunk]) <= wanted);
    frame->block_end = loop->chunk;
    loop->iterations -= sum;
}

/* Returns the next chunk for a free thread, or NULL. *is_joined: it belongs to the last one's block. */
static const struct model_chunk *next_in_turn(const struct sim *sim, struct sim_frame *frame,
                                              const struct simulate_rule *rule, uint32_t *pieces,
                                              bool *is_joined)
{
    const struct model_loop *recorded = &sim->model->loops.list[frame->loop];
    const struct model_chunk *chunks = sim->model->chunks.list;
    struct sim_loop *loop = &sim->loops[frame->loop];
    uint64_t wanted = rule != NULL ? rule->chunk : 0;
    *is_joined = frame->chunk != frame->block_end;
    if (!*is_joined) {
        if (loop->chunk == MODEL_NONE)
            return NULL;
        if (schedule_of(sim, recorded) != SIMULATE_GUIDED) {
            const struct model_chunk *chunk = &chunks[loop->chunk];
            *pieces = pieces_of(sim, chunk, wanted);
            if (++loop->taken < *pieces)
                return chunk;
            loop->taken = 0;
            wanted = *pieces > 1 ? 0 : wanted;
        } else {
            const uint64_t guided = guided_part(sim, recorded, loop->iterations);
            wanted = guided > wanted ? guided : wanted;
        }
        take_block(sim, frame, wanted);
    }
    const struct model_chunk *chunk = &chunks[frame->chunk];
    frame->chunk = chunk->next;
    return chunk;
}

static void leave_loop(const struct sim *sim, const struct sim_thread *thread, struct sim_frame *frame)
{
    while (sim_op(sim, frame->op)->kind != MODEL_LOOP_END || sim_op(sim, frame->op)->arg != frame->loop)
        frame->op = sim_op(sim, frame->op)->next;
    frame->loop = MODEL_NONE;
    sim_next_op(sim, thread);
}

/* Changes what the thread pays for a chunk. Of a chunk in pieces each has its part of the cost, and lacks the
 * rest. A joined chunk costs nothing. */
static void set_cost(struct sim *sim, struct sim_thread *thread, const struct model_chunk *chunk,
                     uint32_t pieces, bool is_joined)
{
    struct sim_loop *loop = &sim->loops[sim_top(thread)->loop];
    const uint64_t cost = chunk->iterations > 0 ? loop->chunk_cost : 0;
    if (pieces > 1) {
        sim_advance_by(sim, thread, sim_top(thread)->op, cost * (pieces - 1) / pieces);
    } else if (is_joined) {
        thread->saved = cost;
    } else if (loop->turn > 0) {
        thread->saved = omptape_minus(cost, sim->model->chunk_ns);
        sim_advance_to(thread, &loop->free_at);
        sim_advance_by(sim, thread, sim_top(thread)->op, loop->turn);
        loop->free_at = thread->now;
    }
}

void sim_take_chunk(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    struct sim_frame *frame = sim_top(thread);
    uint32_t pieces = 1;
    bool is_joined = true;
    if (frame->loop == MODEL_NONE || (op->kind == MODEL_LOOP_END && op->arg != frame->loop)) {
        sim_next_op(sim, thread);
        return;
    }
    const struct model_loop *recorded = &sim->model->loops.list[frame->loop];
    const struct simulate_rule *rule = sim_rule(sim, recorded->place);
    const struct model_chunk *chunk = schedule_of(sim, recorded) == SIMULATE_STATIC
                                          ? next_of_number(sim, thread, frame, rule)
                                          : next_in_turn(sim, frame, rule, &pieces, &is_joined);
    if (chunk == NULL) {
        leave_loop(sim, thread, frame);
        return;
    }
    set_cost(sim, thread, chunk, pieces, is_joined);
    if (chunk->end != MODEL_NONE)
        sim_push(sim, thread,
                 (struct sim_frame){.op = sim_op(sim, chunk->first)->next,
                                    .end = chunk->end,
                                    .strand = chunk->strand,
                                    .loop = MODEL_NONE,
                                    .parts = pieces});
}
