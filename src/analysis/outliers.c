/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Durations of chunks, tasks, instances and steps, and which of them are many times the median (outliers.h).
 */
#include "src/analysis/outliers.h"

#include "src/analysis/location.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"
#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* MAX_PENDING: maximum of candidates of a thread that wait for a reading; further ones are no outliers.
 * INVERSE_MIN_COST: outliers must cost at least 1/INVERSE_MIN_COST of the wall. OFTEN: count from which a
 * number is frequent. MAX_UNLIKE: after this many other steps the usual kind changes. MAX_NESTING: instances
 * with more teams around them count as if they had so many. */
enum { MAX_PENDING = 256, INVERSE_MIN_COST = 1000, OFTEN = 3, MAX_UNLIKE = 16, MAX_NESTING = 16 };

struct analysis_outliers *omptape_outliers_at(struct analysis_state *state, enum analysis_outlier_kind kind,
                                              uint16_t nesting, const struct analysis_region *region,
                                              const struct analysis_region *before)
{
    const uint64_t what = (uint64_t)nesting << ANALYSIS_OUTLIER_KIND_BITS | kind;
    const uint64_t key = what << 32 | (region != NULL ? region->definition->id : UINT32_MAX);
    struct analysis_outliers *outliers = omptape_pairs_obtain(
        &state->outliers, &state->result->arena, key, omptape_analysis_region_id(before), sizeof(*outliers));
    if (outliers == NULL)
        return NULL;
    outliers->kind = kind;
    outliers->nesting = nesting;
    outliers->region = region;
    outliers->before = before;
    return outliers;
}

static uint64_t median_of(const struct analysis_state *state, const struct analysis_outliers *outliers)
{
    uint64_t median = omptape_durations_median(&outliers->times, state->reader->clock_resolution);
    return median > 0 ? median : 1;
}

/* Sets the limit of candidates to half of an outlier's limit, because the median may still fall. */
static void set_limit(const struct analysis_state *state, struct analysis_outliers *outliers)
{
    outliers->limit = omptape_times(ANALYSIS_OUTLIERS_MEDIANS / 2, median_of(state, outliers));
    outliers->next = 2 * outliers->times.count;
}

/* Returns the entry of a number. If the table is full it replaces a shorter one that occurred once.
 * Returns NULL if there is no such entry. */
static struct analysis_repeated_outlier *entry_of(struct analysis_outliers *outliers, uint64_t number,
                                                  uint64_t ticks)
{
    struct analysis_repeated_outlier *rare = NULL;
    for (unsigned i = 0; i < ANALYSIS_REPEATED_OUTLIERS; i++) {
        struct analysis_repeated_outlier *one = &outliers->repeated[i];
        if (one->count > 0 && one->number == number)
            return one;
        if (one->count <= 1 && (rare == NULL || one->worst.ticks < rare->worst.ticks))
            rare = one;
    }
    if (rare != NULL && rare->worst.ticks > ticks)
        return NULL;
    if (rare != NULL)
        *rare = (struct analysis_repeated_outlier){.number = number};
    return rare;
}

/* Counts a long iteration by its number. A thread that sometimes lacks a processor does so at others, too. */
static void vote(const struct analysis_location *location, const struct analysis_outlier_candidate *one)
{
    const uint64_t ticks = omptape_minus(one->ticks, omptape_whole(one->queued));
    struct analysis_repeated_outlier *entry = entry_of(one->outliers, one->number, ticks);
    if (entry == NULL)
        return;
    entry->count++;
    omptape_add(&entry->ticks, ticks);
    if (ticks <= entry->worst.ticks && entry->count > 1)
        return;
    entry->parts = one->parts;
    entry->worst = (struct analysis_worst){ticks, one->begin, one->end, location->id};
}

/* Decides on a candidate with complete readings. Only time in which its thread certainly ran counts. */
static void decide(const struct analysis_state *state, const struct analysis_location *location,
                   const struct analysis_outlier_candidate *one)
{
    struct analysis_outliers *outliers = one->outliers;
    if (outliers->limit == 0 || one->ticks < outliers->limit)
        return;
    if (outliers->kind == ANALYSIS_OUTLIER_CHUNK)
        vote(location, one);
    if (omptape_minus(one->ticks, omptape_whole(one->max_queued)) < outliers->limit) {
        outliers->without_processor++;
        return;
    }
    const uint64_t ticks = omptape_minus(one->ticks, omptape_whole(one->queued));
    const unsigned bin = omptape_analysis_bin(state, ticks);
    outliers->bins[bin]++;
    omptape_add(&outliers->sums[bin], ticks);
    omptape_add(&outliers->useful[bin], one->useful);
    const struct analysis_worst worst = {ticks, one->begin, one->end, location->id};
    if (!omptape_keep_worst(&outliers->worst, &worst))
        return;
    outliers->worst_number = one->number;
    outliers->worst_parts = one->parts;
    outliers->worst_work = one->work;
}

/* Adds a reading's time without a processor to a candidate that overlaps it. */
static void add_queued(struct analysis_outlier_candidate *one,
                       const struct analysis_queued_interval *interval)
{
    const uint64_t begin = one->begin > interval->from ? one->begin : interval->from;
    const uint64_t end = one->end < interval->to ? one->end : interval->to;
    if (end <= begin)
        return;
    one->queued += interval->queued * (double)(end - begin) / (double)(interval->to - interval->from);
    one->max_queued += interval->queued;
}

/* Keeps a reading. If the list is full, the two oldest are merged. */
static void keep_queued(struct analysis_outlier_candidates *candidates,
                        const struct analysis_queued_interval *interval)
{
    if (candidates->queued_count == ANALYSIS_QUEUED_INTERVALS) {
        candidates->queued[1].from = candidates->queued[0].from;
        candidates->queued[1].queued += candidates->queued[0].queued;
        candidates->queued_count--;
        memmove(&candidates->queued[0], &candidates->queued[1],
                candidates->queued_count * sizeof(candidates->queued[0]));
    }
    candidates->queued[candidates->queued_count++] = *interval;
}

static void keep_candidate(struct analysis_location *location, const struct analysis_outlier_candidate *one)
{
    struct analysis_outlier_candidates *candidates = &location->candidates;
    if (candidates->count == MAX_PENDING) {
        one->outliers->without_processor += one->outliers->limit > 0;
        return;
    }
    if (!OMPTAPE_RESERVE(candidates->list, candidates->count + 1, &candidates->capacity))
        return;
    struct analysis_outlier_candidate *kept = &candidates->list[candidates->count++];
    *kept = *one;
    for (uint32_t i = 0; i < candidates->queued_count; i++)
        add_queued(kept, &candidates->queued[i]);
}

/* Counts a duration. Returns true if it is a candidate. `outliers` may be NULL. */
static inline bool is_long(struct analysis_state *state, const struct analysis_location *location,
                           struct analysis_outliers *outliers, uint64_t ticks, uint64_t begin)
{
    if (outliers == NULL || !omptape_analysis_counts(state, ticks))
        return false;
    omptape_analysis_count(state, &outliers->times, ticks, begin, location->id);
    if (outliers->times.count >= (outliers->next > 0 ? outliers->next : ANALYSIS_OUTLIERS_MIN_COUNT))
        set_limit(state, outliers);
    return ticks >= outliers->limit;
}

static void add(struct analysis_state *state, struct analysis_location *location,
                const struct analysis_outlier_candidate *one)
{
    if (is_long(state, location, one->outliers, one->ticks, one->begin))
        keep_candidate(location, one);
}

/* Returns the durations of a place, cached in its region. */
static struct analysis_outliers *at_nesting(struct analysis_state *state, enum analysis_outlier_kind kind,
                                            struct analysis_region *at, const struct analysis_region *region,
                                            uint16_t nesting)
{
    struct analysis_region_state *known = omptape_analysis_region_state(at);
    if (known->outliers[kind] == NULL || known->outliers[kind]->region != region ||
        known->outliers[kind]->nesting != nesting)
        known->outliers[kind] = omptape_outliers_at(state, kind, nesting, region, NULL);
    return known->outliers[kind];
}

static struct analysis_outliers *of_region(struct analysis_state *state, enum analysis_outlier_kind kind,
                                           struct analysis_region *at, const struct analysis_region *region)
{
    return at_nesting(state, kind, at, region, 0);
}

void omptape_outliers_visit(struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_frame *frame, uint64_t time)
{
    const enum omptape_region_kind kind = frame->region->kind;
    const bool is_chunk = kind == OMPTAPE_REGION_LOOP_CHUNK || kind == OMPTAPE_REGION_DISTRIBUTE_CHUNK;
    struct analysis_outliers *outliers =
        of_region(state, is_chunk ? ANALYSIS_OUTLIER_CHUNK : ANALYSIS_OUTLIER_VISIT, frame->region,
                  frame->account->blamed != NULL ? frame->account->blamed : frame->region);
    const uint64_t ticks = location->worked - frame->worked;
    if (is_long(state, location, outliers, ticks, frame->replay.begin))
        keep_candidate(location, &(struct analysis_outlier_candidate){
                                     .outliers = outliers,
                                     .ticks = ticks,
                                     .begin = frame->replay.begin,
                                     .end = time,
                                     .number = is_chunk ? frame->number : outliers->times.count,
                                     .parts = is_chunk ? frame->parts : 0});
}

void omptape_outliers_task(struct analysis_state *state, struct analysis_location *location,
                           const struct analysis_frame *frame, uint64_t time)
{
    struct analysis_outliers *outliers =
        of_region(state, ANALYSIS_OUTLIER_TASK, frame->region, frame->region);
    if (is_long(state, location, outliers, frame->work, frame->replay.begin))
        keep_candidate(location, &(struct analysis_outlier_candidate){.outliers = outliers,
                                                                      .ticks = frame->work,
                                                                      .begin = frame->replay.begin,
                                                                      .end = time,
                                                                      .number = frame->number});
}

/* Returns true if the step contains as many regions as usual. A program that calls one function in several
 * places has steps of several kinds, whose durations cannot be compared. */
static bool is_alike(struct analysis_steps_of_region *steps, uint64_t forks)
{
    if (forks == steps->usual) {
        steps->unlike = 0;
        return true;
    }
    if (steps->usual == 0 || ++steps->unlike > MAX_UNLIKE) {
        steps->usual = forks;
        steps->unlike = 0;
    }
    return steps->usual == forks;
}

void omptape_outliers_step(struct analysis_state *state, struct analysis_location *location,
                           struct analysis_region *region, uint64_t time)
{
    struct analysis_steps_of_region *steps = &omptape_analysis_region_state(region)->steps;
    const uint64_t forks = ++location->candidates.forks;
    const uint64_t begin = steps->begin;
    struct analysis_outliers *outliers = NULL;
    if (steps->by == location && is_alike(steps, forks - steps->forks))
        outliers = of_region(state, ANALYSIS_OUTLIER_STEP, region, region);
    steps->by = location;
    steps->begin = time;
    steps->forks = forks;
    if (outliers != NULL)
        add(state, location,
            &(struct analysis_outlier_candidate){.outliers = outliers,
                                                 .ticks = omptape_minus(time, begin),
                                                 .begin = begin,
                                                 .end = time,
                                                 .number = outliers->times.count + 1});
}

/* Copies an instance's time without a processor from its last thread to the first, whose steps grow. */
static void queue_first_thread(struct analysis_location *first, const struct analysis_location *last,
                               const struct analysis_outlier_candidate *instance)
{
    for (uint32_t i = 0; i < last->candidates.queued_count; i++) {
        struct analysis_outlier_candidate one = {.begin = instance->begin, .end = instance->end};
        add_queued(&one, &last->candidates.queued[i]);
        if (one.queued > 0)
            keep_queued(&first->candidates,
                        &(struct analysis_queued_interval){instance->begin, instance->end, one.queued});
    }
}

/* Returns the number of teams around this one. Without ends of teams, `outer` may contain a cycle. */
static uint16_t nesting_of(const struct analysis_team *team)
{
    uint16_t nesting = 0;
    for (const struct analysis_team *outer = team->outer; outer != NULL && nesting < MAX_NESTING;
         outer = outer->outer)
        nesting++;
    return nesting;
}

void omptape_outliers_instance(struct analysis_state *state, const struct analysis_team *team, uint64_t ticks,
                               uint64_t end)
{
    struct analysis_location *first = team->members[0].location;
    struct analysis_location *last = team->last != NULL ? team->last : first;
    struct analysis_outliers *outliers =
        at_nesting(state, ANALYSIS_OUTLIER_INSTANCE, team->region, team->region, nesting_of(team));
    struct analysis_outlier_candidate one = {.outliers = outliers,
                                             .ticks = ticks,
                                             .begin = team->fork,
                                             .end = end,
                                             .work = team->useful,
                                             .useful = team->useful / team->replay.comm->size};
    if (outliers == NULL || last == NULL)
        return;
    one.number = outliers->times.count + 1;
    if (first != NULL && first != last) {
        for (uint32_t i = 0; i < first->candidates.queued_count; i++)
            add_queued(&one, &first->candidates.queued[i]);
        queue_first_thread(first, last, &one);
    }
    add(state, last, &one);
}

void omptape_outliers_serial(struct analysis_state *state, struct analysis_location *location,
                             const struct analysis_region *before, uint64_t ticks)
{
    const struct analysis_region *after = location->last_parallel;
    struct analysis_outliers *outliers =
        after != NULL && before != NULL
            ? omptape_outliers_at(state, ANALYSIS_OUTLIER_SERIAL, 0, after, before)
            : NULL;
    if (outliers != NULL)
        add(state, location,
            &(struct analysis_outlier_candidate){.outliers = outliers,
                                                 .ticks = ticks,
                                                 .begin = location->serial_begin,
                                                 .end = location->booked,
                                                 .number = outliers->times.count + 1});
}

void omptape_outliers_reading(struct analysis_state *state, struct analysis_location *location, uint64_t from,
                              uint64_t to, uint64_t queued_ns)
{
    const struct analysis_queued_interval interval = {from, to, (double)queued_ns / state->ns_per_tick};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < location->candidates.count; i++) {
        struct analysis_outlier_candidate *one = &location->candidates.list[i];
        add_queued(one, &interval);
        if (one->end <= to && one->outliers->limit > 0)
            decide(state, location, one);
        else
            location->candidates.list[kept++] = *one;
    }
    location->candidates.count = kept;
    if (queued_ns > 0 && to > from)
        keep_queued(&location->candidates, &interval);
}

void omptape_outliers_end(struct analysis_state *state, struct analysis_location *location)
{
    for (uint32_t i = 0; i < location->candidates.count; i++)
        decide(state, location, &location->candidates.list[i]);
    free(location->candidates.list);
    location->candidates.list = NULL;
    location->candidates.count = 0;
    location->candidates.capacity = 0;
}

void omptape_outliers_end_pass(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        struct analysis_outliers *outliers = state->outliers.list[i].value;
        for (unsigned j = 0; j < ANALYSIS_REPEATED_OUTLIERS; j++)
            if (outliers->repeated[j].count > outliers->most_frequent.count)
                outliers->most_frequent = outliers->repeated[j];
    }
}

/* Returns how often each process executed the loop. Instances without a barrier (nowait) are not told apart,
 * but each thread's visits are counted. */
static uint64_t instances_of(const struct analysis_state *state, const struct analysis_loop *loop)
{
    const uint64_t visits = omptape_mean(loop->region->visits.count, loop->threads);
    return omptape_mean(omptape_greater(loop->instances, visits), state->result->process_count);
}

/* If one number is long in at least half of the loop's instances, its durations become the outliers. */
static void use_most_frequent(const struct analysis_state *state, struct analysis_outliers *outliers,
                              uint64_t least)
{
    const struct analysis_repeated_outlier *often = &outliers->most_frequent;
    const struct analysis_loop *loop =
        often->count > 0 ? omptape_analysis_of_region(&state->loops, outliers->region) : NULL;
    if (loop == NULL || often->count < OFTEN || often->worst.ticks < least ||
        omptape_times(2, often->count) < instances_of(state, loop))
        return;
    outliers->is_same = true;
    outliers->count = often->count;
    outliers->cost = omptape_minus(often->ticks, omptape_times(often->count, outliers->median));
    outliers->worst = often->worst;
    outliers->worst_number = often->number;
    outliers->worst_parts = often->parts;
    outliers->without_processor = 0;
}

/* Counts the candidates that are outliers by the final median. */
static void count_outliers(const struct analysis_state *state, struct analysis_outliers *outliers,
                           uint64_t least)
{
    uint64_t sum = 0;
    uint64_t useful = 0;
    if (outliers->times.count < ANALYSIS_OUTLIERS_MIN_COUNT || outliers->worst.ticks < least)
        return;
    for (unsigned bin = omptape_durations_bin(least, state->ns_per_tick); bin < ANALYSIS_BINS; bin++) {
        omptape_add(&outliers->count, outliers->bins[bin]);
        omptape_add(&sum, outliers->sums[bin]);
        omptape_add(&useful, outliers->useful[bin]);
    }
    outliers->cost = omptape_minus(sum, omptape_times(outliers->count, outliers->median));
    outliers->all_useful = useful < sum ? useful : sum;
}

/* Returns true if the chunk is long because it has many iterations, as schedule(guided)'s first. */
static bool is_large_chunk(const struct analysis_state *state, const struct analysis_outliers *outliers)
{
    const struct analysis_loop *loop = outliers->kind == ANALYSIS_OUTLIER_CHUNK && outliers->worst_parts > 1
                                           ? omptape_analysis_of_region(&state->loops, outliers->region)
                                           : NULL;
    if (loop == NULL || loop->iterations == 0)
        return false;
    const double mean = (double)loop->mean * loop->threads / (double)loop->iterations;
    return (double)outliers->worst.ticks < 2 * mean * (double)outliers->worst_parts;
}

void omptape_outliers_finish(struct analysis_state *state)
{
    const uint64_t wall = omptape_minus(state->whole.end, state->whole.begin);
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        struct analysis_outliers *outliers = state->outliers.list[i].value;
        outliers->count = 0;
        outliers->median = median_of(state, outliers);
        const uint64_t least = omptape_times(ANALYSIS_OUTLIERS_MEDIANS, outliers->median);
        count_outliers(state, outliers, least);
        const bool is_usual =
            omptape_times(ANALYSIS_OUTLIERS_ONE_IN, outliers->count) > outliers->times.count;
        if (!is_usual)
            use_most_frequent(state, outliers, least);
        if (is_usual || is_large_chunk(state, outliers) ||
            omptape_mean(outliers->cost, state->result->at_once) < wall / INVERSE_MIN_COST)
            outliers->count = 0;
    }
}
