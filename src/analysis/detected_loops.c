/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detects loops (detected_loops.h). A list orders regions by their last begin: the regions before a region's
 * entry have begun since its last begin. If they are the same three times, a loop is detected.
 */
#include "src/analysis/detected_loops.h"

#include "src/analysis/phases.h"
#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* CONFIRMED: number of successive equal intervals that make a loop. MIN_ITERATIONS: minimum to be shown.
 * MAX_SHOWN: maximum of shown loops per process. MOMENTS: size of the ring of moments while no loop is
 * known. MOMENT_THREADS: maximum of threads in all of these. MAX_MOMENTS: how often they are taken.
 * MAX_REGIONS: maximum in one iteration. BLOCK: iterations per moment, after the kept steps. */
enum {
    CONFIRMED = 3,
    MIN_ITERATIONS = 5,
    MAX_LOOPS = 8,
    MAX_SHOWN = 2,
    MOMENTS = 64,
    MOMENT_THREADS = 16384,
    MAX_MOMENTS = 4096,
    MAX_REGIONS = 1024,
    BLOCK = 16
};

static const double least_share = 0.3; /* share of its process's time */
static const double least_alike = 0.8; /* share of its iterations */

/* A begin of a region. */
struct occurrence {
    uint64_t number; /* index among all begins, from 1 */
    uint64_t time;
    uint64_t mix; /* sum of the keys of all earlier begins */
};

struct loop;

struct candidate {
    struct analysis_region *region;
    struct candidate *newer; /* neighbours in the order of the last begins */
    struct candidate *older;
    struct loop *loop; /* loop whose iterations begin with it; or NULL */
    uint64_t key;
    uint64_t shape; /* hash of the regions since its last begin */
    uint32_t alike; /* number of successive intervals with that shape */
    uint64_t first; /* `number` of its first begin; 0: none */
    struct occurrence last[CONFIRMED];
    uint64_t begun;
    /* Per loop, 1 + its number of iterations at the region's last begin. */
    uint64_t iterations[MAX_LOOPS];
};

struct iteration {
    struct analysis_step *step;
    uint64_t mix;  /* identifies which regions began, and how often */
    bool is_whole; /* it contains all usual regions */
};

struct loop {
    struct candidate *of;
    struct analysis_phase phase;
    struct iteration *list;
    uint32_t kept;
    uint32_t capacity;
    uint64_t count; /* iterations so far, including those outside of the analysed range */
    uint64_t alike; /* iterations with the usual shape */
    uint64_t shape;
    uint64_t begins;    /* number of begins in the last iteration with that shape */
    uint64_t usual_mix; /* most frequent mix, by majority vote */
    uint64_t votes;
    struct occurrence first;      /* begin of the first iteration */
    struct occurrence from;       /* begin of the current iteration */
    struct analysis_moment begin; /* state of the process at that begin */
    struct analysis_moment whole; /* state when all usual regions had ended */
    bool is_whole;
    uint64_t whole_number; /* index of the last begin in `whole` */
    bool is_over;          /* it is no longer plain */
};

struct analysis_repeats {
    const struct analysis_location *by;
    struct omptape_pairs candidates; /* (0, region id) */
    struct candidate *newest;
    uint64_t number; /* number of begins so far */
    uint64_t others; /* number of begins by other threads */
    uint64_t mix;
    uint64_t walked; /* list entries visited so far */
    uint64_t last_end;
    struct loop loops[MAX_LOOPS];
    uint32_t loop_count;
    struct analysis_moment moments[MOMENTS]; /* ring of moments at the last begins */
    uint64_t moment_numbers[MOMENTS];
    uint64_t taken;
    struct analysis_moment now; /* scratch */
};

/* Spreads ids, so that different sets of regions have different sums of keys. */
static uint64_t make_key(uint64_t id)
{
    uint64_t key = (id + 1) * UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 32;
    return key * UINT64_C(0xd6e8feb86659fd93);
}

/* Returns true if the loop's last iteration is long ago. */
static bool is_stale(const struct analysis_repeats *repeats, const struct loop *loop)
{
    return loop->is_over || repeats->number - loop->from.number > 4 * loop->begins + 16;
}

static struct analysis_repeats *repeats_of(const struct analysis_location *location)
{
    struct analysis_process_state *process = location->process_state;
    if (process->repeats == NULL) {
        process->repeats = omptape_calloc(1, sizeof(*process->repeats));
        if (process->repeats != NULL)
            process->repeats->by = location;
    }
    return process->repeats;
}

static struct candidate *candidate_of(struct analysis_state *state, struct analysis_repeats *repeats,
                                      struct analysis_region *region)
{
    struct candidate *candidate = omptape_pairs_obtain(&repeats->candidates, &state->arena, 0,
                                                       region->definition->id, sizeof(*candidate));
    if (candidate != NULL && candidate->region == NULL) {
        candidate->region = region;
        candidate->key = make_key(region->definition->id);
    }
    return candidate;
}

static void move_to_front(struct analysis_repeats *repeats, struct candidate *candidate)
{
    if (repeats->newest == candidate)
        return;
    if (candidate->newer != NULL)
        candidate->newer->older = candidate->older;
    if (candidate->older != NULL)
        candidate->older->newer = candidate->newer;
    candidate->newer = NULL;
    candidate->older = repeats->newest;
    if (repeats->newest != NULL)
        repeats->newest->newer = candidate;
    repeats->newest = candidate;
}

/* Returns a hash of the regions that began since the candidate's last begin, in the order of their last
 * begins. Returns 0 if there are too many, or if the search exceeds its limit. */
static uint64_t find_shape(struct analysis_repeats *repeats, const struct candidate *candidate)
{
    uint64_t shape = 1;
    uint32_t count = 0;
    for (const struct candidate *one = repeats->newest; one != candidate; one = one->older) {
        if (++count > MAX_REGIONS || repeats->walked > 16 * repeats->number + 65536)
            return 0;
        repeats->walked++;
        shape = shape * UINT64_C(0x100000001b3) + one->key;
    }
    return shape != 0 ? shape : 1;
}

static const struct occurrence *last_of(const struct candidate *candidate, uint64_t before)
{
    return &candidate->last[(candidate->begun - 1 - before) % CONFIRMED];
}

/* Returns true if the interval that ends may be an iteration of a new loop. Returns false if it is part of
 * a current loop. */
static bool may_be_new(const struct analysis_repeats *repeats, const struct candidate *candidate)
{
    for (uint32_t i = 0; i < repeats->loop_count; i++) {
        const struct loop *loop = &repeats->loops[i];
        const bool was_before = last_of(candidate, 0)->number < loop->first.number;
        const uint64_t then = candidate->iterations[i] > 0 ? candidate->iterations[i] - 1 : 0;
        if (is_stale(repeats, loop))
            continue;
        if (candidate->iterations[i] == 0 && !was_before)
            return false;
        if (loop->count - then == 1 || (loop->count == then && candidate->first <= loop->from.number))
            return false;
    }
    return true;
}

static struct analysis_step *add_step(struct analysis_state *state, struct loop *loop, uint64_t mix,
                                      bool is_whole)
{
    struct analysis_step *step = omptape_arena_alloc(&state->arena, sizeof(*step));
    if (step == NULL || !OMPTAPE_RESERVE(loop->list, loop->kept + 1, &loop->capacity))
        return NULL;
    loop->list[loop->kept++] = (struct iteration){.step = step, .mix = mix, .is_whole = is_whole};
    return step;
}

static void vote(struct loop *loop, uint64_t mix)
{
    if (loop->votes == 0)
        loop->usual_mix = mix;
    if (loop->usual_mix == mix)
        loop->votes++;
    else
        loop->votes--;
}

/* Adds an iteration. Its parts are known only if both moments contain the threads; otherwise only its time
 * is added. */
static void add_iteration(struct analysis_state *state, const struct analysis_repeats *repeats,
                          struct loop *loop, const struct analysis_moment *from,
                          const struct analysis_moment *to, uint64_t mix, bool is_whole)
{
    const bool is_full = from->thread_count > 0 && to->thread_count > 0;
    const struct analysis_moment begin = is_full ? *from : (struct analysis_moment){.time = from->time};
    struct analysis_moment end = is_full ? *to : (struct analysis_moment){.time = to->time};
    struct analysis_open_phase closed = {.by = repeats->by,
                                         .region = loop->of->region,
                                         .from = begin,
                                         .is_step = true,
                                         .key = loop->count,
                                         .number = loop->count + 1};
    struct analysis_step *step = add_step(state, loop, mix, is_whole);
    loop->count++;
    end.time = end.time > begin.time ? end.time : begin.time;
    if (step != NULL && end.time > begin.time)
        omptape_phases_add(state, &closed, &end, &loop->phase, step);
}

/* Counts an iteration after the last kept step: its duration, and once per BLOCK the parts. */
static void count_iteration(struct analysis_state *state, const struct analysis_repeats *repeats,
                            struct loop *loop, uint64_t time)
{
    struct analysis_phase *phase = &loop->phase;
    struct analysis_moment now = {.threads = NULL};
    const uint64_t wall = omptape_minus(time, loop->from.time);
    loop->count++;
    if (wall > 0) {
        phase->count++;
        phase->steps++;
        omptape_add(&phase->wall, wall);
    }
    if (wall > phase->longest) {
        phase->longest = wall;
        phase->longest_begin = loop->from.time;
        phase->longest_number = loop->count;
        memset(phase->longest_parts, 0, sizeof(phase->longest_parts));
    }
    if (loop->count % BLOCK > 0)
        return;
    omptape_phases_take_moment(state, repeats->by, time, false, &now);
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&phase->parts[bucket], omptape_minus(now.parts[bucket], loop->begin.parts[bucket]));
    omptape_add(&phase->serial, omptape_minus(now.serial, loop->begin.serial));
    omptape_add(&phase->communication, omptape_minus(now.communication, loop->begin.communication));
    omptape_phases_free_moment(&loop->begin);
    loop->begin = now;
}

static void swap(struct analysis_moment *one, struct analysis_moment *other)
{
    const struct analysis_moment kept = *one;
    *one = *other;
    *other = kept;
}

static bool is_kept(const struct loop *loop)
{
    return loop->kept < ANALYSIS_MAX_STEPS;
}

/* Returns true if other code runs after the usual regions: at least two begins, and at least as many as
 * the loop has. */
static bool has_left(const struct analysis_repeats *repeats, const struct loop *loop)
{
    const uint64_t more = repeats->number - loop->whole_number;
    return loop->is_whole ? more >= 2 && more >= loop->begins
                          : repeats->number - loop->from.number > 3 * loop->begins + 8;
}

/* Ends an iteration at the candidate's next begin. */
static void end_iteration(struct analysis_state *state, struct analysis_repeats *repeats, struct loop *loop,
                          uint64_t time)
{
    const uint64_t shape = find_shape(repeats, loop->of);
    const uint64_t mix = repeats->mix - loop->from.mix;
    const bool is_alike = shape == loop->shape;
    const bool is_other = !is_alike && has_left(repeats, loop);
    if (is_other && !loop->is_whole)
        return;
    loop->alike += is_alike || is_other;
    if (is_alike)
        loop->begins = repeats->number + 1 - loop->from.number;
    vote(loop, is_other ? loop->usual_mix : mix);
    if (!is_kept(loop))
        count_iteration(state, repeats, loop, is_other ? loop->whole.time : time);
    else if (is_other)
        add_iteration(state, repeats, loop, &loop->begin, &loop->whole, loop->usual_mix, true);
    else
        add_iteration(state, repeats, loop, &loop->begin, &repeats->now, mix, is_alike || loop->is_whole);
    if (loop->count >= 64 && 2 * loop->alike < loop->count)
        loop->is_over = true;
}

static void begin_iteration(struct analysis_repeats *repeats, struct loop *loop,
                            const struct occurrence *here)
{
    loop->from = *here;
    loop->is_whole = false;
    if (repeats->now.time == here->time)
        swap(&loop->begin, &repeats->now);
}

/* Returns the moment at that begin; only its time is set if the moment is not kept. */
static struct analysis_moment moment_at(const struct analysis_repeats *repeats,
                                        const struct occurrence *occurrence)
{
    const uint32_t place = occurrence->number % MOMENTS;
    return repeats->moment_numbers[place] == occurrence->number
               ? repeats->moments[place]
               : (struct analysis_moment){.time = occurrence->time};
}

/* Adds a new loop with its CONFIRMED iterations. */
static void add_loop(struct analysis_state *state, struct analysis_repeats *repeats,
                     struct candidate *candidate, const struct occurrence *here)
{
    struct loop *loop = &repeats->loops[repeats->loop_count++];
    *loop = (struct loop){.of = candidate,
                          .phase = {.region = candidate->region},
                          .shape = candidate->shape,
                          .alike = CONFIRMED,
                          .first = *last_of(candidate, CONFIRMED - 1)};
    candidate->loop = loop;
    for (unsigned i = CONFIRMED; i-- > 0;) {
        const struct occurrence *from = last_of(candidate, i);
        const struct occurrence *to = i > 0 ? last_of(candidate, i - 1) : here;
        const struct analysis_moment begin = moment_at(repeats, from);
        const struct analysis_moment end = i > 0 ? moment_at(repeats, to) : repeats->now;
        loop->begins = to->number - from->number;
        vote(loop, to->mix - from->mix);
        add_iteration(state, repeats, loop, &begin, &end, to->mix - from->mix, true);
    }
}

/* Checks at another begin of the candidate whether it is a loop. */
static void look_for_loop(struct analysis_state *state, struct analysis_repeats *repeats,
                          struct candidate *candidate, const struct occurrence *here)
{
    if (repeats->loop_count == MAX_LOOPS || !may_be_new(repeats, candidate)) {
        candidate->alike = 0;
        return;
    }
    const uint64_t shape = find_shape(repeats, candidate);
    candidate->alike = shape == 0 ? 0 : shape == candidate->shape ? candidate->alike + 1 : 1;
    candidate->shape = shape;
    if (candidate->alike < CONFIRMED)
        return;
    if (repeats->now.time != here->time)
        omptape_phases_take_moment(state, repeats->by, here->time, true, &repeats->now);
    add_loop(state, repeats, candidate, here);
}

/* Keeps the moment of each begin while no known loop is active. */
static void keep_moment(struct analysis_state *state, struct analysis_repeats *repeats, uint64_t number,
                        uint64_t time)
{
    const uint32_t place = number % MOMENTS;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < repeats->loop_count; i++)
        if (!is_stale(repeats, &repeats->loops[i]))
            return;
    for (const struct analysis_location *one = repeats->by->process_state->threads; one != NULL;
         one = one->next_thread)
        threads++;
    if (repeats->taken == MAX_MOMENTS || threads > MOMENT_THREADS / MOMENTS)
        return;
    repeats->taken++;
    repeats->moment_numbers[place] = number;
    omptape_phases_take_moment(state, repeats->by, time, true, &repeats->moments[place]);
}

void omptape_detected_loops_begin(struct analysis_state *state, const struct analysis_location *location,
                                  uint64_t time, struct analysis_region *region)
{
    struct analysis_repeats *repeats = repeats_of(location);
    if (repeats == NULL || repeats->by != location) {
        if (repeats != NULL)
            repeats->others++;
        return;
    }
    struct candidate *candidate = candidate_of(state, repeats, region);
    if (candidate == NULL)
        return;
    const struct occurrence here = {.number = repeats->number + 1, .time = time, .mix = repeats->mix};
    struct loop *loop = candidate->loop;
    repeats->now.time = 0;
    if (loop != NULL && !loop->is_over) {
        if (is_kept(loop))
            omptape_phases_take_moment(state, location, time, true, &repeats->now);
        end_iteration(state, repeats, loop, time);
    } else if (loop == NULL && candidate->begun > 0) {
        look_for_loop(state, repeats, candidate, &here);
        loop = candidate->loop;
    }
    if (loop != NULL && !loop->is_over)
        begin_iteration(repeats, loop, &here);
    else
        keep_moment(state, repeats, here.number, time);
    candidate->first = candidate->first > 0 ? candidate->first : here.number;
    candidate->last[candidate->begun++ % CONFIRMED] = here;
    for (uint32_t i = 0; i < repeats->loop_count; i++)
        candidate->iterations[i] = repeats->loops[i].count + 1;
    move_to_front(repeats, candidate);
    repeats->number++;
    repeats->mix += candidate->key;
}

void omptape_detected_loops_end(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time)
{
    struct analysis_repeats *repeats = location->process_state->repeats;
    if (repeats == NULL || repeats->by != location)
        return;
    repeats->last_end = time;
    for (uint32_t i = 0; i < repeats->loop_count; i++) {
        struct loop *loop = &repeats->loops[i];
        if (loop->is_whole || loop->is_over || repeats->mix - loop->from.mix != loop->usual_mix)
            continue;
        loop->is_whole = true;
        loop->whole_number = repeats->number;
        loop->whole.time = time;
        loop->whole.thread_count = 0;
        if (is_kept(loop))
            omptape_phases_take_moment(state, location, time, true, &loop->whole);
    }
}

void omptape_detected_loops_move(const struct analysis_location *location, enum omptape_bucket from,
                                 enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount)
{
    struct analysis_repeats *repeats = location->process_state->repeats;
    if (repeats == NULL)
        return;
    for (uint32_t i = 0; i < MOMENTS && i < repeats->taken; i++) {
        const uint64_t number = repeats->number - i;
        struct analysis_moment *moment = &repeats->moments[number % MOMENTS];
        if (repeats->moment_numbers[number % MOMENTS] != number || moment->time <= begin)
            break;
        omptape_phases_move_moment(moment, location, from, to, begin, end, amount);
    }
    for (uint32_t i = 0; i < repeats->loop_count; i++) {
        omptape_phases_move_moment(&repeats->loops[i].begin, location, from, to, begin, end, amount);
        if (repeats->loops[i].is_whole)
            omptape_phases_move_moment(&repeats->loops[i].whole, location, from, to, begin, end, amount);
    }
}

/* Drops the iterations after the last whole one: the loop has ended, and its region is used once more. */
static void drop_last(struct loop *loop)
{
    struct analysis_phase *phase = &loop->phase;
    const struct analysis_step *longest = NULL;
    while (loop->kept > 0 && loop->kept == loop->count && !loop->list[loop->kept - 1].is_whole) {
        const struct analysis_step *last = loop->list[--loop->kept].step;
        loop->count--;
        phase->count -= last->count;
        phase->steps -= last->count;
        phase->wall = omptape_minus(phase->wall, last->wall);
        for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
            phase->parts[bucket] = omptape_minus(phase->parts[bucket], last->parts[bucket]);
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

/* Ends the last iteration of a loop. It counts if it contains all usual regions, in any number. */
static void end_last(struct analysis_state *state, struct analysis_repeats *repeats, struct loop *loop)
{
    const uint64_t mix = loop->is_whole ? loop->usual_mix : repeats->mix - loop->from.mix;
    if (loop->is_over || (!loop->is_whole && find_shape(repeats, loop->of) != loop->shape)) {
        drop_last(loop);
        return;
    }
    if (!loop->is_whole) {
        loop->whole.time = repeats->last_end;
        loop->whole.thread_count = 0;
    }
    loop->alike++;
    if (is_kept(loop))
        add_iteration(state, repeats, loop, &loop->begin, &loop->whole, mix, true);
    else
        count_iteration(state, repeats, loop, loop->whole.time);
}

static bool is_plain(const struct loop *loop, uint64_t life)
{
    return !loop->is_over && loop->count >= MIN_ITERATIONS &&
           (double)loop->alike >= least_alike * (double)loop->count &&
           (double)loop->phase.wall >= least_share * (double)life;
}

/* Returns true if the program itself names repeated phases. */
static bool has_own_steps(const struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->phases.count; i++) {
        const struct analysis_phase *phase = state->phases.list[i].value;
        if (!omptape_phase_is_detected(phase) && phase->count >= MIN_ITERATIONS)
            return true;
    }
    return false;
}

/* Adds a loop to the phase of all processes. */
static void add_to_phase(struct analysis_phase *sum, const struct analysis_phase *phase)
{
    sum->count += phase->count;
    sum->steps += phase->steps;
    omptape_add(&sum->wall, phase->wall);
    omptape_add(&sum->serial, phase->serial);
    omptape_add(&sum->communication, phase->communication);
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&sum->parts[bucket], phase->parts[bucket]);
    if (phase->longest <= sum->longest)
        return;
    sum->longest = phase->longest;
    sum->longest_begin = phase->longest_begin;
    sum->longest_number = phase->longest_number;
    memcpy(sum->longest_parts, phase->longest_parts, sizeof(sum->longest_parts));
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
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum->parts[bucket] = omptape_plus(before.parts[bucket], step->parts[bucket]);
    sum->longest = longest->longest;
    sum->longest_begin = longest->longest_begin;
    sum->longest_end = longest->longest_end;
    sum->number = longest->number;
}

static void show(struct analysis_state *state, const struct loop *loop)
{
    struct analysis_region *region = loop->of->region;
    struct analysis_phase *phase = omptape_analysis_at_region(state, &state->phases, region, sizeof(*phase));
    if (phase == NULL)
        return;
    add_to_phase(phase, &loop->phase);
    for (uint32_t i = 0; i < loop->kept; i++) {
        const struct iteration *one = &loop->list[i];
        struct analysis_step *step = one->step->wall > 0 ? omptape_phases_step(state, region, i) : NULL;
        one->step->atypical = one->mix != loop->usual_mix;
        if (step != NULL)
            add_to_step(step, one->step);
    }
}

static void add_phases_of_process(struct analysis_state *state, struct analysis_repeats *repeats,
                                  uint64_t life)
{
    for (uint32_t i = 0; i < repeats->loop_count; i++)
        end_last(state, repeats, &repeats->loops[i]);
    for (unsigned shown = 0; shown < MAX_SHOWN; shown++) {
        struct loop *longest = NULL;
        for (uint32_t i = 0; i < repeats->loop_count; i++) {
            struct loop *loop = &repeats->loops[i];
            if (is_plain(loop, life) && (longest == NULL || loop->phase.wall > longest->phase.wall))
                longest = loop;
        }
        if (longest == NULL)
            return;
        show(state, longest);
        longest->is_over = true;
    }
}

void omptape_detected_loops_add_phases(struct analysis_state *state)
{
    if (has_own_steps(state))
        return;
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const struct analysis_process *process = &state->result->processes[i];
        struct analysis_repeats *repeats = state->processes[i].repeats;
        if (repeats != NULL && 4 * repeats->others < repeats->number)
            add_phases_of_process(state, repeats, omptape_minus(process->end, process->begin));
    }
}

void omptape_detected_loops_free(struct analysis_process_state *process)
{
    struct analysis_repeats *repeats = process->repeats;
    if (repeats == NULL)
        return;
    for (uint32_t i = 0; i < repeats->loop_count; i++) {
        omptape_phases_free_moment(&repeats->loops[i].begin);
        omptape_phases_free_moment(&repeats->loops[i].whole);
        free(repeats->loops[i].list);
    }
    for (uint32_t i = 0; i < MOMENTS; i++)
        omptape_phases_free_moment(&repeats->moments[i]);
    omptape_phases_free_moment(&repeats->now);
    omptape_pairs_free(&repeats->candidates);
    free(repeats);
    process->repeats = NULL;
}
