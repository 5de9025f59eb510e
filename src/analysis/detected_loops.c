/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detects loops (detected_loops.h). A list orders regions by their last begin: the regions before a region's
 * entry have begun since its last begin. If they are the same three times, a loop is detected.
 */
#include "src/analysis/detected_loops.h"

#include "src/analysis/loop_iterations.h"

#include <stdlib.h>

enum {
    CONFIRMED = 3,          /* successive equal intervals that make a loop */
    MIN_ITERATIONS = 5,     /* minimum of a loop that is shown */
    MAX_LOOPS = 8,          /* per process */
    MAX_SHOWN = 2,          /* shown loops per process */
    MOMENTS = 64,           /* size of the ring of moments while no loop is known */
    MOMENT_THREADS = 16384, /* maximum of threads in all of these */
    MAX_MOMENTS = 4096,     /* how often they are taken */
    MAX_REGIONS = 1024      /* maximum in one iteration */
};

static const double min_share = 0.3; /* share of its process's time */
static const double min_alike = 0.8; /* share of its iterations */

struct analysis_loop_candidate {
    struct analysis_region *region;
    struct analysis_loop_candidate *newer; /* neighbours in the order of the last begins */
    struct analysis_loop_candidate *older;
    struct analysis_detected_loop *loop; /* loop whose iterations begin with it; or NULL */
    uint64_t key;
    uint64_t sequence_hash; /* hash of the regions since its last begin */
    uint32_t alike;         /* number of successive intervals with that sequence */
    uint64_t first;         /* `number` of its first begin; 0: none */
    struct analysis_region_begin last[CONFIRMED];
    uint64_t begun;
    /* Per loop, 1 + its number of iterations at the region's last begin. */
    uint64_t iterations[MAX_LOOPS];
};

struct analysis_loop_detector {
    const struct analysis_location *by;
    struct omptape_pairs candidates; /* (0, region id) */
    struct analysis_loop_candidate *newest;
    uint64_t number; /* number of begins so far */
    uint64_t others; /* number of begins by other threads */
    uint64_t counts_hash;
    uint64_t walked; /* list entries visited so far */
    uint64_t last_end;
    struct analysis_detected_loop loops[MAX_LOOPS];
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
static bool is_stale(const struct analysis_loop_detector *detector, const struct analysis_detected_loop *loop)
{
    return loop->is_over || detector->number - loop->from.number > 4 * loop->begins + 16;
}

static struct analysis_loop_detector *detector_of(const struct analysis_location *location)
{
    struct analysis_process_state *process = location->process_state;
    if (process->loop_detector == NULL) {
        process->loop_detector = omptape_calloc(1, sizeof(*process->loop_detector));
        if (process->loop_detector != NULL)
            process->loop_detector->by = location;
    }
    return process->loop_detector;
}

static struct analysis_loop_candidate *candidate_of(struct analysis_state *state,
                                                    struct analysis_loop_detector *detector,
                                                    struct analysis_region *region)
{
    struct analysis_loop_candidate *candidate = omptape_pairs_obtain(
        &detector->candidates, &state->arena, 0, region->definition->id, sizeof(*candidate));
    if (candidate != NULL && candidate->region == NULL) {
        candidate->region = region;
        candidate->key = make_key(region->definition->id);
    }
    return candidate;
}

static void move_to_front(struct analysis_loop_detector *detector, struct analysis_loop_candidate *candidate)
{
    if (detector->newest == candidate)
        return;
    if (candidate->newer != NULL)
        candidate->newer->older = candidate->older;
    if (candidate->older != NULL)
        candidate->older->newer = candidate->newer;
    candidate->newer = NULL;
    candidate->older = detector->newest;
    if (detector->newest != NULL)
        detector->newest->newer = candidate;
    detector->newest = candidate;
}

/* Returns a hash of the regions that began since the candidate's last begin, in the order of their last
 * begins. Returns 0 if there are too many, or if the search exceeds its limit. */
static uint64_t hash_sequence(struct analysis_loop_detector *detector,
                              const struct analysis_loop_candidate *candidate)
{
    uint64_t sequence_hash = 1;
    uint32_t count = 0;
    for (const struct analysis_loop_candidate *one = detector->newest; one != candidate; one = one->older) {
        if (++count > MAX_REGIONS || detector->walked > 16 * detector->number + 65536)
            return 0;
        detector->walked++;
        sequence_hash = sequence_hash * UINT64_C(0x100000001b3) + one->key;
    }
    return sequence_hash != 0 ? sequence_hash : 1;
}

static const struct analysis_region_begin *last_of(const struct analysis_loop_candidate *candidate,
                                                   uint64_t before)
{
    return &candidate->last[(candidate->begun - 1 - before) % CONFIRMED];
}

/* True if the interval that ends may be an iteration of a new loop. False if it is part of a current one. */
static bool may_be_new(const struct analysis_loop_detector *detector,
                       const struct analysis_loop_candidate *candidate)
{
    for (uint32_t i = 0; i < detector->loop_count; i++) {
        const struct analysis_detected_loop *loop = &detector->loops[i];
        const bool was_before = last_of(candidate, 0)->number < loop->first.number;
        const uint64_t then = candidate->iterations[i] > 0 ? candidate->iterations[i] - 1 : 0;
        if (is_stale(detector, loop))
            continue;
        if (candidate->iterations[i] == 0 && !was_before)
            return false;
        if (loop->count - then == 1 || (loop->count == then && candidate->first <= loop->from.number))
            return false;
    }
    return true;
}

static void swap(struct analysis_moment *one, struct analysis_moment *other)
{
    const struct analysis_moment kept = *one;
    *one = *other;
    *other = kept;
}

/* True if other code runs after the usual regions: two begins or more, and no fewer than the loop has. */
static bool has_left(const struct analysis_loop_detector *detector, const struct analysis_detected_loop *loop)
{
    const uint64_t more = detector->number - loop->complete_number;
    return loop->is_complete ? more >= 2 && more >= loop->begins
                             : detector->number - loop->from.number > 3 * loop->begins + 8;
}

/* Ends an iteration at the candidate's next begin. */
static void end_iteration(struct analysis_state *state, struct analysis_loop_detector *detector,
                          struct analysis_detected_loop *loop, uint64_t time)
{
    const uint64_t sequence_hash = hash_sequence(detector, loop->candidate);
    const uint64_t counts_hash = detector->counts_hash - loop->from.counts_hash;
    const bool is_alike = sequence_hash == loop->sequence_hash;
    const bool is_other = !is_alike && has_left(detector, loop);
    if (is_other && !loop->is_complete)
        return;
    loop->alike += is_alike || is_other;
    if (is_alike)
        loop->begins = detector->number + 1 - loop->from.number;
    omptape_loop_vote(loop, is_other ? loop->usual_counts_hash : counts_hash);
    if (!omptape_loop_keeps_next(loop))
        omptape_loop_count_iteration(state, detector->by, loop, is_other ? loop->complete.time : time);
    else if (is_other)
        omptape_loop_add_iteration(state, detector->by, loop, &loop->begin, &loop->complete,
                                   loop->usual_counts_hash, true);
    else
        omptape_loop_add_iteration(state, detector->by, loop, &loop->begin, &detector->now, counts_hash,
                                   is_alike || loop->is_complete);
    if (loop->count >= 64 && 2 * loop->alike < loop->count)
        loop->is_over = true;
}

static void begin_iteration(struct analysis_loop_detector *detector, struct analysis_detected_loop *loop,
                            const struct analysis_region_begin *here)
{
    loop->from = *here;
    loop->is_complete = false;
    if (detector->now.time == here->time)
        swap(&loop->begin, &detector->now);
}

/* Returns the moment at that begin; only its time is set if the moment is not kept. */
static struct analysis_moment moment_at(const struct analysis_loop_detector *detector,
                                        const struct analysis_region_begin *occurrence)
{
    const uint32_t place = occurrence->number % MOMENTS;
    return detector->moment_numbers[place] == occurrence->number
               ? detector->moments[place]
               : (struct analysis_moment){.time = occurrence->time};
}

/* Adds a new loop with its CONFIRMED iterations. */
static void add_loop(struct analysis_state *state, struct analysis_loop_detector *detector,
                     struct analysis_loop_candidate *candidate, const struct analysis_region_begin *here)
{
    struct analysis_detected_loop *loop = &detector->loops[detector->loop_count++];
    *loop = (struct analysis_detected_loop){.candidate = candidate,
                                            .phase = {.region = candidate->region},
                                            .sequence_hash = candidate->sequence_hash,
                                            .alike = CONFIRMED,
                                            .first = *last_of(candidate, CONFIRMED - 1)};
    candidate->loop = loop;
    for (unsigned i = CONFIRMED; i-- > 0;) {
        const struct analysis_region_begin *from = last_of(candidate, i);
        const struct analysis_region_begin *to = i > 0 ? last_of(candidate, i - 1) : here;
        const struct analysis_moment begin = moment_at(detector, from);
        const struct analysis_moment end = i > 0 ? moment_at(detector, to) : detector->now;
        loop->begins = to->number - from->number;
        omptape_loop_vote(loop, to->counts_hash - from->counts_hash);
        omptape_loop_add_iteration(state, detector->by, loop, &begin, &end,
                                   to->counts_hash - from->counts_hash, true);
    }
}

/* Checks at another begin of the candidate whether it is a loop. */
static void look_for_loop(struct analysis_state *state, struct analysis_loop_detector *detector,
                          struct analysis_loop_candidate *candidate, const struct analysis_region_begin *here)
{
    if (detector->loop_count == MAX_LOOPS || !may_be_new(detector, candidate)) {
        candidate->alike = 0;
        return;
    }
    const uint64_t sequence_hash = hash_sequence(detector, candidate);
    candidate->alike = sequence_hash == 0                          ? 0
                       : sequence_hash == candidate->sequence_hash ? candidate->alike + 1
                                                                   : 1;
    candidate->sequence_hash = sequence_hash;
    if (candidate->alike < CONFIRMED)
        return;
    if (detector->now.time != here->time)
        omptape_phases_take_moment(state, detector->by, here->time, true, &detector->now);
    add_loop(state, detector, candidate, here);
}

/* Keeps the moment of each begin while no known loop is active. */
static void keep_moment(struct analysis_state *state, struct analysis_loop_detector *detector,
                        uint64_t number, uint64_t time)
{
    const uint32_t place = number % MOMENTS;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < detector->loop_count; i++)
        if (!is_stale(detector, &detector->loops[i]))
            return;
    for (const struct analysis_location *one = detector->by->process_state->threads; one != NULL;
         one = one->next_thread)
        threads++;
    if (detector->taken == MAX_MOMENTS || threads > MOMENT_THREADS / MOMENTS)
        return;
    detector->taken++;
    detector->moment_numbers[place] = number;
    omptape_phases_take_moment(state, detector->by, time, true, &detector->moments[place]);
}

void omptape_detected_loops_begin(struct analysis_state *state, const struct analysis_location *location,
                                  uint64_t time, struct analysis_region *region)
{
    struct analysis_loop_detector *detector = detector_of(location);
    if (detector == NULL || detector->by != location) {
        if (detector != NULL)
            detector->others++;
        return;
    }
    struct analysis_loop_candidate *candidate = candidate_of(state, detector, region);
    if (candidate == NULL)
        return;
    const struct analysis_region_begin here = {
        .number = detector->number + 1, .time = time, .counts_hash = detector->counts_hash};
    struct analysis_detected_loop *loop = candidate->loop;
    detector->now.time = 0;
    if (loop != NULL && !loop->is_over) {
        if (omptape_loop_keeps_next(loop))
            omptape_phases_take_moment(state, location, time, true, &detector->now);
        end_iteration(state, detector, loop, time);
    } else if (loop == NULL && candidate->begun > 0) {
        look_for_loop(state, detector, candidate, &here);
        loop = candidate->loop;
    }
    if (loop != NULL && !loop->is_over)
        begin_iteration(detector, loop, &here);
    else
        keep_moment(state, detector, here.number, time);
    candidate->first = candidate->first > 0 ? candidate->first : here.number;
    candidate->last[candidate->begun++ % CONFIRMED] = here;
    for (uint32_t i = 0; i < detector->loop_count; i++)
        candidate->iterations[i] = detector->loops[i].count + 1;
    move_to_front(detector, candidate);
    detector->number++;
    detector->counts_hash += candidate->key;
}

void omptape_detected_loops_end(struct analysis_state *state, const struct analysis_location *location,
                                uint64_t time)
{
    struct analysis_loop_detector *detector = location->process_state->loop_detector;
    if (detector == NULL || detector->by != location)
        return;
    detector->last_end = time;
    for (uint32_t i = 0; i < detector->loop_count; i++) {
        struct analysis_detected_loop *loop = &detector->loops[i];
        if (loop->is_complete || loop->is_over ||
            detector->counts_hash - loop->from.counts_hash != loop->usual_counts_hash)
            continue;
        loop->is_complete = true;
        loop->complete_number = detector->number;
        loop->complete.time = time;
        loop->complete.thread_count = 0;
        if (omptape_loop_keeps_next(loop))
            omptape_phases_take_moment(state, location, time, true, &loop->complete);
    }
}

void omptape_detected_loops_move(const struct analysis_location *location, enum omptape_bucket from,
                                 enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t amount)
{
    struct analysis_loop_detector *detector = location->process_state->loop_detector;
    if (detector == NULL)
        return;
    for (uint32_t i = 0; i < MOMENTS && i < detector->taken; i++) {
        const uint64_t number = detector->number - i;
        struct analysis_moment *moment = &detector->moments[number % MOMENTS];
        if (detector->moment_numbers[number % MOMENTS] != number || moment->time <= begin)
            break;
        omptape_phases_move_moment(moment, location, from, to, begin, end, amount);
    }
    for (uint32_t i = 0; i < detector->loop_count; i++) {
        omptape_phases_move_moment(&detector->loops[i].begin, location, from, to, begin, end, amount);
        if (detector->loops[i].is_complete)
            omptape_phases_move_moment(&detector->loops[i].complete, location, from, to, begin, end, amount);
    }
}

/* Ends the last iteration of a loop. It counts if it contains all usual regions, in any number. */
static void end_last(struct analysis_state *state, struct analysis_loop_detector *detector,
                     struct analysis_detected_loop *loop)
{
    const uint64_t counts_hash =
        loop->is_complete ? loop->usual_counts_hash : detector->counts_hash - loop->from.counts_hash;
    if (loop->is_over ||
        (!loop->is_complete && hash_sequence(detector, loop->candidate) != loop->sequence_hash)) {
        omptape_loop_drop_incomplete(loop);
        return;
    }
    if (!loop->is_complete) {
        loop->complete.time = detector->last_end;
        loop->complete.thread_count = 0;
    }
    loop->alike++;
    if (omptape_loop_keeps_next(loop))
        omptape_loop_add_iteration(state, detector->by, loop, &loop->begin, &loop->complete, counts_hash,
                                   true);
    else
        omptape_loop_count_iteration(state, detector->by, loop, loop->complete.time);
}

static bool is_regular(const struct analysis_detected_loop *loop, uint64_t life)
{
    return !loop->is_over && loop->count >= MIN_ITERATIONS &&
           (double)loop->alike >= min_alike * (double)loop->count &&
           (double)loop->phase.wall >= min_share * (double)life;
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

static void add_phases_of_process(struct analysis_state *state, const struct analysis_process *process,
                                  struct analysis_loop_detector *detector)
{
    const uint64_t life = omptape_minus(process->end, process->begin);
    for (uint32_t i = 0; i < detector->loop_count; i++)
        end_last(state, detector, &detector->loops[i]);
    for (unsigned shown = 0; shown < MAX_SHOWN; shown++) {
        struct analysis_detected_loop *longest = NULL;
        for (uint32_t i = 0; i < detector->loop_count; i++) {
            struct analysis_detected_loop *loop = &detector->loops[i];
            if (is_regular(loop, life) && (longest == NULL || loop->phase.wall > longest->phase.wall))
                longest = loop;
        }
        if (longest == NULL)
            return;
        omptape_loop_add_to_phases(state, process, longest);
        longest->is_over = true;
    }
}

void omptape_detected_loops_add_phases(struct analysis_state *state)
{
    if (has_own_steps(state))
        return;
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const struct analysis_process *process = &state->result->processes[i];
        struct analysis_loop_detector *detector = state->processes[i].loop_detector;
        if (detector != NULL && 4 * detector->others < detector->number)
            add_phases_of_process(state, process, detector);
    }
}

void omptape_detected_loops_free(struct analysis_process_state *process)
{
    struct analysis_loop_detector *detector = process->loop_detector;
    if (detector == NULL)
        return;
    for (uint32_t i = 0; i < detector->loop_count; i++) {
        omptape_phases_free_moment(&detector->loops[i].begin);
        omptape_phases_free_moment(&detector->loops[i].complete);
        free(detector->loops[i].list);
    }
    for (uint32_t i = 0; i < MOMENTS; i++)
        omptape_phases_free_moment(&detector->moments[i]);
    omptape_phases_free_moment(&detector->now);
    omptape_pairs_free(&detector->candidates);
    free(detector);
    process->loop_detector = NULL;
}
