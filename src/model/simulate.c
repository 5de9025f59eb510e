/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulation (simulate.h). The thread with the earliest time runs, until its next operation concerns
 * other threads and another thread is earlier.
 */
#include "src/model/simulate_state.h"

#include "src/core/array.h"
#include "src/core/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

void sim_advance_to(struct sim_thread *thread, const struct sim_moment *moment)
{
    if (moment->time > thread->now.time)
        thread->now = *moment;
}

void sim_wake(struct sim *sim, uint32_t thread, const struct sim_moment *moment)
{
    sim_advance_to(&sim->threads[thread], moment);
    sim->threads[thread].state = SIM_READY;
    heap_push(sim, thread);
}

void sim_advance_by(struct sim *sim, struct sim_thread *thread, uint32_t op, uint64_t ns)
{
    thread->now.time += ns;
    if (sim->steps == NULL)
        return;
    if (sim->step_count >= MODEL_NONE - 1 ||
        !OMPTAPE_RESERVE(sim->steps, sim->step_count + 1, &sim->step_capacity)) {
        sim->no_memory = true;
        return;
    }
    sim->steps[sim->step_count] = (struct simulate_step){
        .op = op,
        .before = thread->now.step,
        .ns = (ns < MODEL_MAX_NS ? ns : MODEL_MAX_NS) & MODEL_MAX_NS,
        .thread = thread->id & ((UINT32_C(1) << SIMULATE_THREAD_BITS) - 1),
    };
    thread->now.step = sim->step_count++;
}

void sim_compute(struct sim *sim, struct sim_thread *thread, uint32_t op, uint64_t ns, uint64_t needed)
{
    if (sim->processors == NULL || needed == 0) {
        sim_advance_by(sim, thread, op, ns);
        return;
    }
    thread->needed = needed;
    thread->work_end = thread->now.time + ns;
    thread->work = op;
}

/* Returns the time that a thread has a processor while others want it: there are at most a million slices. */
static uint64_t find_slice(const struct sim *sim)
{
    const double least_ns = 1e6;
    const double most = 1e6;
    double all = 0;
    for (uint32_t i = 0; i < sim->model->ops.count; i++) {
        const struct model_op *op = sim_op(sim, i);
        const struct simulate_rule *rule = sim_rule(sim, op->place);
        if (op->kind == MODEL_WORK)
            all += (double)op->ns * (rule != NULL ? rule->factor : 1);
    }
    return omptape_whole(fmax(least_ns, all / most));
}

/* The processor that was free first is free at `moment`. */
static void heap_occupy(struct sim *sim, struct sim_moment moment)
{
    struct sim_moment *list = sim->processors;
    uint64_t at = 0;
    for (uint64_t child = 1; child < sim->processor_count; child = 2 * at + 1) {
        if (child + 1 < sim->processor_count && list[child + 1].time < list[child].time)
            child++;
        if (list[child].time >= moment.time)
            break;
        list[at] = list[child];
        at = child;
    }
    list[at] = moment;
}

/* Gives the thread the processor that is free first, for a slice, or until another thread may want one. */
static void take_processor(struct sim *sim, struct sim_thread *thread)
{
    uint64_t slice = thread->needed;
    sim_advance_to(thread, &sim->processors[0]);
    if (sim->heap_count > 0) {
        const uint64_t alone = omptape_minus(sim->threads[sim->heap[0]].now.time, thread->now.time);
        const uint64_t most = omptape_greater(alone, sim->slice);
        slice = slice < most ? slice : most;
    }
    sim_advance_by(sim, thread, thread->work, slice);
    heap_occupy(sim, thread->now);
    thread->needed -= slice;
    if (thread->needed == 0 && thread->work_end > thread->now.time)
        sim_advance_by(sim, thread, thread->work, thread->work_end - thread->now.time);
}

bool sim_push(struct sim *sim, struct sim_thread *thread, struct sim_frame frame)
{
    if (!OMPTAPE_RESERVE(thread->frames, thread->depth + 1, &thread->capacity)) {
        sim->no_memory = true;
        return false;
    }
    thread->frames[thread->depth++] = frame;
    return true;
}

static bool is_of_thread_alone(const struct model_op *op)
{
    return op->kind == MODEL_WORK || op->kind == MODEL_SAMPLE;
}

bool sim_is_work_alone(const struct sim *sim, uint32_t first, uint32_t end)
{
    while (first != end && first != MODEL_NONE && is_of_thread_alone(sim_op(sim, first)))
        first = sim_op(sim, first)->next;
    return first == end || first == MODEL_NONE;
}

/* Returns the part of the recorded work in which the thread waited for a processor. */
static double queued_part(const struct sim *sim, const struct model_op *op)
{
    const uint32_t number = (uint32_t)(op - sim->model->ops.list);
    return number < sim->model->queued.count
               ? (double)sim->model->queued.list[number] / (double)MODEL_ALL_QUEUED
               : 0;
}

/* Returns which part of the waiting for processors is gone at a place. Regions with as many threads keep
 * it. */
static double relief_at(const struct sim *sim, uint32_t place)
{
    bool is_kept = false;
    for (; place != 0 && sim->relief > 0; place = sim->model->places.list[place].parent) {
        const enum omptape_region_kind kind = sim->model->places.list[place].region->region->kind;
        if (sim->rules[place].threads > 0)
            return sim->relief;
        is_kept = is_kept || kind == OMPTAPE_REGION_PARALLEL || kind == OMPTAPE_REGION_TEAMS;
    }
    return is_kept ? 0 : sim->relief;
}

uint64_t sim_work(const struct sim *sim, const struct model_op *op)
{
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    if (rule == NULL || rule->is_even)
        return rule == NULL ? op->ns : 0;
    const double queued = sim->relief > 0 ? queued_part(sim, op) : 0;
    const double relief = queued > 0 ? relief_at(sim, op->place) : 0;
    return omptape_whole((double)op->ns * rule->factor * (1 - queued * relief));
}

uint64_t sim_lag(const struct sim *sim, const struct model_op *op, uint32_t place)
{
    const uint64_t least = sim->model->places.list[place].lag;
    return op->ns > least && relief_at(sim, place) >= 1 ? least : op->ns;
}

static void sim_skip(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    (void)op;
    sim_next_op(sim, thread);
}

/* Returns true for operations that a copied member skips: those that only one member executes. */
static bool is_skipped_by_copy(const struct model_op *op)
{
    return op->kind == MODEL_CREATE || op->kind == MODEL_RUN || op->kind == MODEL_TASKWAIT ||
           op->kind == MODEL_GROUP_BEGIN || op->kind == MODEL_GROUP_WAIT || op->kind == MODEL_CALL_BEGIN ||
           op->kind == MODEL_CALL_END;
}

static sim_do *const do_op[MODEL_OP_KINDS] = {
    [MODEL_WORK] = sim_skip,
    [MODEL_SAMPLE] = sim_skip,
    [MODEL_FORK] = sim_fork,
    [MODEL_TEAM_BEGIN] = sim_begin_team,
    [MODEL_TEAM_END] = sim_end_team,
    [MODEL_JOIN] = sim_join,
    [MODEL_BARRIER] = sim_wait,
    [MODEL_ACQUIRE] = sim_acquire,
    [MODEL_RELEASE] = sim_release,
    [MODEL_CREATE] = sim_create,
    [MODEL_RUN] = sim_create,
    [MODEL_TASKWAIT] = sim_wait,
    [MODEL_GROUP_BEGIN] = sim_skip,
    [MODEL_GROUP_WAIT] = sim_wait,
    [MODEL_LOOP_BEGIN] = sim_begin_loop,
    [MODEL_CHUNK] = sim_take_chunk,
    [MODEL_LOOP_END] = sim_take_chunk,
    [MODEL_CALL_BEGIN] = sim_begin_call,
    [MODEL_CALL_END] = sim_end_call,
};

/* Ends a strand or a chunk. */
static void end_frame(struct sim *sim, struct sim_thread *thread)
{
    const struct sim_frame ended = *sim_top(thread);
    thread->depth--;
    if (ended.is_task)
        sim_complete(sim, thread, ended.strand);
    if (thread->depth > 0)
        return;
    thread->state = SIM_DONE;
    if (thread->id >= sim->model->threads.count) {
        thread->next = sim->unused_threads;
        sim->unused_threads = thread->id;
    }
}

static void do_work(struct sim *sim, struct sim_thread *thread, const struct model_op *op)
{
    const struct sim_frame *frame = sim_top(thread);
    const struct simulate_rule *rule = sim_rule(sim, op->place);
    const uint32_t parts = frame->parts > 0 ? frame->parts : 1;
    const uint64_t ns = sim_work(sim, op) / parts;
    const uint64_t saved = thread->saved < ns ? thread->saved : ns;
    thread->saved -= saved;
    /* sim_work may have taken the waiting for a processor off already. */
    const double running = (double)op->ns * (rule != NULL ? rule->factor : 1) * (1 - queued_part(sim, op));
    const uint64_t needed = omptape_whole(fmin((double)ns, running / parts));
    sim_compute(sim, thread, frame->op, ns - saved, omptape_minus(needed, saved));
}

/* Runs the thread until it waits or another thread is earlier. */
static void run_thread(struct sim *sim, struct sim_thread *thread)
{
    while (thread->state == SIM_READY && !sim->no_memory) {
        const struct sim_frame *frame = sim_top(thread);
        const bool is_end = frame->op == frame->end || frame->op == MODEL_NONE;
        const struct model_op *op = is_end ? NULL : sim_op(sim, frame->op);
        if (op != NULL && is_of_thread_alone(op) && thread->needed == 0) {
            do_work(sim, thread, op);
            sim_next_op(sim, thread);
        } else if (sim->heap_count > 0 && is_earlier(sim, sim->heap[0], thread->id)) {
            heap_push(sim, thread->id);
            return;
        } else if (thread->needed > 0) {
            take_processor(sim, thread);
        } else if (op == NULL) {
            end_frame(sim, thread);
        } else if (frame->is_copy && is_skipped_by_copy(op)) {
            sim_next_op(sim, thread);
        } else {
            do_op[op->kind](sim, thread, op);
        }
    }
}

/* Called when no thread can continue, because events are missing in the trace. Lets the earliest thread
 * continue without them. Returns false if all threads have ended. */
static bool force_one(struct sim *sim)
{
    uint32_t first = MODEL_NONE;
    for (uint32_t i = 0; i < sim->thread_count; i++)
        if (sim->threads[i].state != SIM_DONE && (first == MODEL_NONE || is_earlier(sim, i, first)))
            first = i;
    if (first == MODEL_NONE)
        return false;
    struct sim_thread *thread = &sim->threads[first];
    const struct model_op *op = sim_op(sim, sim_top(thread)->op);
    sim->forced++;
    if (op->kind == MODEL_TEAM_BEGIN || op->kind == MODEL_JOIN) {
        struct sim_team *team = &sim->teams[op->arg];
        team->is_forked = true;
        team->ended = team->members;
        sim_wake_list(sim, &team->blocked, &thread->now);
    } else if (op->kind == MODEL_ACQUIRE) {
        sim_grant_lock(sim, &sim->locks[op->arg], &thread->now);
    } else if (op->kind == MODEL_CALL_END) {
        sim_force_call(sim, thread, op);
    } else {
        sim_stop_waiting(sim, thread);
        sim_top(thread)->has_arrived = false;
        sim_next_op(sim, thread);
        sim_wake(sim, first, &thread->now);
    }
    return true;
}

/* Returns which part of the time in run queues is gone if each process has so many threads. */
static double find_relief(const struct model *model, double each)
{
    const double processors = (double)model->processors;
    const double threads = each * (double)model->crowd_processes;
    const double before = (double)model->crowd;
    if (processors == 0 || before <= processors || threads >= before)
        return 0;
    return threads <= processors ? 1 : 1 - (1 - processors / threads) / (1 - processors / before);
}

/* Returns the number of additional threads that enlarged teams may need, for all initial threads at once. */
static uint32_t count_spare(struct sim *sim)
{
    uint32_t most = 0;
    uint32_t initial = 0;
    for (uint32_t i = 0; sim->rules != NULL && i < sim->model->places.count; i++)
        most = sim->rules[i].threads > most ? sim->rules[i].threads : most;
    for (uint32_t i = 0; i < sim->model->threads.count; i++)
        initial += sim->model->threads.list[i].is_initial;
    sim->relief = most > 0 ? find_relief(sim->model, most) : 0;
    sim->processor_count = most * sim->model->crowd_processes <= sim->model->shared ? sim->model->shared : 0;
    return most * initial;
}

static bool allocate(struct sim *sim)
{
    const struct model *model = sim->model;
    sim->thread_count = model->threads.count + count_spare(sim);
    sim->threads = calloc(sim->thread_count + 1U, sizeof(*sim->threads));
    sim->heap = calloc(sim->thread_count + 1U, sizeof(*sim->heap));
    sim->strands = calloc(model->strands.count + 1U, sizeof(*sim->strands));
    sim->teams = calloc(model->teams.count + 1U, sizeof(*sim->teams));
    sim->barriers = calloc(model->barriers.count + 1U, sizeof(*sim->barriers));
    sim->locks = calloc(model->locks.count + 1U, sizeof(*sim->locks));
    sim->groups = calloc(model->groups + 1U, sizeof(*sim->groups));
    sim->loops = calloc(model->loops.count + 1U, sizeof(*sim->loops));
    sim->syncs = calloc(model->syncs.count + 1U, sizeof(*sim->syncs));
    sim->processors =
        sim->processor_count > 0 ? calloc(sim->processor_count, sizeof(*sim->processors)) : NULL;
    return (sim->processors != NULL || sim->processor_count == 0) && sim->threads != NULL &&
           sim->heap != NULL && sim->strands != NULL && sim->teams != NULL && sim->barriers != NULL &&
           sim->locks != NULL && sim->groups != NULL && sim->loops != NULL && sim->syncs != NULL;
}

/* Adds the even work of the strand, and of the tasks which it creates, to the barriers that follow. Returns
 * the work after the last barrier. `rest` has this of the strands that were created later. */
static uint64_t share_out(struct sim *sim, uint32_t strand, const uint64_t *rest)
{
    uint64_t sum = 0;
    for (uint32_t at = sim->model->strands.list[strand].first; at != MODEL_NONE; at = sim_op(sim, at)->next) {
        const struct model_op *op = sim_op(sim, at);
        const struct simulate_rule *rule = &sim->rules[op->place];
        if (op->kind == MODEL_WORK && rule->is_even)
            sum += omptape_whole((double)op->ns * rule->factor);
        if (op->kind == MODEL_CREATE || op->kind == MODEL_RUN)
            sum += rest[op->arg];
        if (op->kind != MODEL_BARRIER)
            continue;
        sim->shares[op->arg] += sum / sim->model->barriers.list[op->arg].arrivals;
        sum = 0;
    }
    return sum;
}

/* Computes, for rules with is_even, each thread's equal share of work before barriers. False: no memory. */
static bool compute_even_shares(struct sim *sim)
{
    const struct model *model = sim->model;
    bool is_any = false;
    for (uint32_t i = 0; sim->rules != NULL && i < model->places.count; i++)
        is_any |= sim->rules[i].is_even;
    if (!is_any)
        return true;
    uint64_t *rest = calloc(model->strands.count + 1U, sizeof(*rest));
    sim->shares = calloc(model->barriers.count + 1U, sizeof(*sim->shares));
    for (uint32_t i = model->strands.count; rest != NULL && sim->shares != NULL && i-- > 0;)
        rest[i] = share_out(sim, i, rest);
    const bool is_complete = rest != NULL && sim->shares != NULL;
    free(rest);
    return is_complete;
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
    for (uint32_t i = 0; i < model->locks.count; i++)
        sim->locks[i] = (struct sim_lock){.holder = MODEL_NONE, .first = MODEL_NONE, .last = MODEL_NONE};
    for (uint32_t i = 0; i < model->groups; i++)
        sim->groups[i] = (struct sim_group){.waiter = MODEL_NONE, .end.step = MODEL_NONE};
    for (uint32_t i = 0; i < model->syncs.count; i++)
        sim->syncs[i] = (struct sim_sync){.waiting = MODEL_NONE, .end.step = MODEL_NONE};
    for (uint64_t i = 0; i < sim->processor_count; i++)
        sim->processors[i].step = MODEL_NONE;
    sim->slice = sim->processor_count > 0 ? find_slice(sim) : 0;
    sim->unused_threads = MODEL_NONE;
    for (uint32_t i = model->threads.count; i < sim->thread_count; i++) {
        sim->threads[i] = (struct sim_thread){.id = i, .state = SIM_DONE, .next = sim->unused_threads};
        sim->unused_threads = i;
    }
    for (uint32_t i = 0; i < model->threads.count; i++) {
        const struct model_thread *recorded = &model->threads.list[i];
        struct sim_thread *thread = &sim->threads[i];
        thread->id = i;
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
    for (uint32_t i = 0; sim->threads != NULL && i < sim->thread_count; i++) {
        free(sim->threads[i].frames);
        free(sim->threads[i].teams);
    }
    free(sim->threads);
    free(sim->heap);
    free(sim->shares);
    free(sim->processors);
    free(sim->strands);
    free(sim->teams);
    free(sim->barriers);
    free(sim->locks);
    free(sim->groups);
    free(sim->loops);
    free(sim->syncs);
}

int simulate_run(const struct model *model, const struct simulate_rule *rules, bool with_steps,
                 struct simulate_result *result)
{
    struct sim sim = {.model = model, .rules = rules};
    sim.no_memory = !allocate(&sim) || !compute_even_shares(&sim) ||
                    (with_steps && !OMPTAPE_RESERVE(sim.steps, model->ops.count + 1, &sim.step_capacity));
    if (!sim.no_memory)
        begin(&sim);
    while (!sim.no_memory && (sim.heap_count > 0 || force_one(&sim)))
        if (sim.heap_count > 0)
            run_thread(&sim, &sim.threads[heap_pop(&sim)]);
    *result = (struct simulate_result){.last = MODEL_NONE};
    if (sim.no_memory)
        free(sim.steps);
    else
        conclude(&sim, result);
    free_sim(&sim);
    return sim.no_memory ? -ENOMEM : 0;
}

int simulate_share_processors(struct model *model)
{
    enum { LONGER = 20 };
    struct simulate_result alone;
    struct simulate_result sharing;
    model->shared = 0;
    if (model->processors == 0 || model->crowd <= model->processors ||
        model->crowd + model->streams < model->threads.count)
        return 0;
    int status = simulate_run(model, NULL, false, &alone);
    model->shared = model->processors;
    if (status == 0)
        status = simulate_run(model, NULL, false, &sharing);
    if (status != 0 || sharing.wall > alone.wall + alone.wall / LONGER)
        model->shared = 0;
    return status;
}
