/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up the iterations of a detected loop (loop_iterations.h), and adds them to a phase of all processes.
 */
#include "src/analysis/loop_iterations.h"

#include "src/core/array.h"

#include <string.h>

/* After the kept iterations the parts of so many are summed up at once. */
enum { ITERATIONS_PER_MOMENT = 16 };

static struct analysis_step *add_step(struct analysis_state *state, struct analysis_detected_loop *loop,
                                      uint64_t counts_hash, bool is_complete)
{
    struct analysis_step *step = omptape_arena_alloc(&state->arena, sizeof(*step));
    if (step == NULL || !OMPTAPE_RESERVE(loop->list, loop->kept + 1, &loop->capacity))
        return NULL;
    loop->list[loop->kept++] =
        (struct analysis_iteration){.step = step, .counts_hash = counts_hash, .is_complete = is_complete};
    return step;
}

void omptape_loop_vote(struct analysis_detected_loop *loop, uint64_t counts_hash)
{
    if (loop->votes == 0)
        loop->usual_counts_hash = counts_hash;
    if (loop->usual_counts_hash == counts_hash)
        loop->votes++;
    else
        loop->votes--;
}

void omptape_loop_add_iteration(struct analysis_state *state, const struct analysis_location *location,
                                struct analysis_detected_loop *loop, const struct analysis_moment *from,
                                const struct analysis_moment *to, uint64_t counts_hash, bool is_complete)
{
    const bool is_full = from->thread_count > 0 && to->thread_count > 0;
    const struct analysis_moment begin = is_full ? *from : (struct analysis_moment){.time = from->time};
    struct analysis_moment end = is_full ? *to : (struct analysis_moment){.time = to->time};
    struct analysis_open_phase closed = {.by = location,
                                         .region = loop->phase.region,
                                         .from = begin,
                                         .is_step = true,
                                         .key = loop->count,
                                         .number = loop->count + 1};
    struct analysis_step *step = add_step(state, loop, counts_hash, is_complete);
    loop->count++;
    end.time = end.time > begin.time ? end.time : begin.time;
    if (step != NULL && end.time > begin.time)
        omptape_phases_add(state, &closed, &end, &loop->phase, step);
}

void omptape_loop_count_iteration(struct analysis_state *state, const struct analysis_location *location,
                                  struct analysis_detected_loop *loop, uint64_t time)
{
    struct analysis_moment now = {.threads = NULL};
    const uint64_t wall = omptape_minus(time, loop->from.time);
    loop->count++;
    struct analysis_phase one = {.count = wall > 0,
                                 .steps = wall > 0,
                                 .wall = wall,
                                 .longest = wall,
                                 .longest_begin = loop->from.time,
                                 .longest_number = loop->count};
    if (loop->count % ITERATIONS_PER_MOMENT == 0) {
        omptape_phases_take_moment(state, location, time, false, &now);
        memcpy(one.parts, now.parts, sizeof(one.parts));
        omptape_parts_subtract(one.parts, loop->begin.parts);
        one.known = omptape_minus(time, loop->begin.time);
        one.serial = omptape_minus(now.serial, loop->begin.serial);
        one.communication = omptape_minus(now.communication, loop->begin.communication);
        omptape_phases_free_moment(&loop->begin);
        loop->begin = now;
    }
    omptape_phases_sum(&loop->phase, &one);
}

/* Returns true if the parts of an iteration are known. */
static bool is_known(const struct analysis_step *step)
{
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (step->parts[bucket] > 0)
            return true;
    return false;
}

void omptape_loop_drop_incomplete(struct analysis_detected_loop *loop)
{
    struct analysis_phase *phase = &loop->phase;
    const struct analysis_step *longest = NULL;
    while (loop->kept > 0 && loop->kept == loop->count && !loop->list[loop->kept - 1].is_complete) {
        const struct analysis_step *last = loop->list[--loop->kept].step;
        loop->count--;
        phase->count -= last->count;
        phase->steps -= last->count;
        phase->wall = omptape_minus(phase->wall, last->wall);
        phase->known = omptape_minus(phase->known, is_known(last) ? last->wall : 0);
        omptape_parts_subtract(phase->parts, last->parts);
        phase->longest = last->number == phase->longest_number ? 0 : phase->longest;
    }
    for (uint32_t i = 0; i < loop->kept && phase->longest_number > loop->count; i++)
        if (loop->list[i].step->longest > phase->longest) {
            longest = loop->list[i].step;
            phase->longest = longest->longest;
        }
    if (longest == NULL)
        return;
    phase->longest_begin = longest->longest_begin;
    phase->longest_number = longest->number;
    memset(phase->longest_parts, 0, sizeof(phase->longest_parts));
}

/* Adds an iteration to the step of all processes. */
static void add_to_step(struct analysis_step *sum, const struct analysis_step *step)
{
    const struct analysis_step before = *sum;
    const struct analysis_step *longest = step->longest > before.longest ? step : &before;
    *sum = step->most > before.most ? *step : before;
    sum->region = before.region;
    sum->count = before.count + step->count;
    sum->atypical = before.atypical + step->atypical;
    sum->wall = omptape_plus(before.wall, step->wall);
    memcpy(sum->parts, before.parts, sizeof(sum->parts));
    omptape_parts_add(sum->parts, step->parts);
    sum->longest = longest->longest;
    sum->longest_begin = longest->longest_begin;
    sum->longest_end = longest->longest_end;
    sum->number = longest->number;
}

void omptape_loop_add_to_phases(struct analysis_state *state, const struct analysis_process *process,
                                const struct analysis_detected_loop *loop)
{
    struct analysis_region *region = loop->phase.region;
    struct analysis_phase *phase = omptape_analysis_at_region(state, &state->phases, region, sizeof(*phase));
    if (phase == NULL)
        return;
    omptape_phases_sum_process(state, process, phase, &loop->phase);
    for (uint32_t i = 0; i < loop->kept; i++) {
        const struct analysis_iteration *one = &loop->list[i];
        struct analysis_step *step = one->step->wall > 0 ? omptape_phases_step(state, region, i) : NULL;
        one->step->atypical = one->counts_hash != loop->usual_counts_hash;
        if (step != NULL)
            add_to_step(step, one->step);
    }
}
