/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds instances of phases (time steps, for example) that take much longer than the others, and phases whose
 * instances grow. Merges a slow step with another finding about the same loss. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

/* ONE_IN: at most one step in ONE_IN may be slow. MIN_TREND: fewer steps show no trend. MAX_RATIO: a
 * step's excess may be larger than a finding's gain by this factor. MAX_GAIN: the gain may be larger than the
 * excess by this one. */
enum {
    ONE_IN = 4,
    MIN_TREND = 20,
    MAX_RATIO = 4,
    MAX_GAIN = 2,
    MIN_SPREADS = 6,
    INVERSE_MIN_OF_LONGEST = 8,
    MAX_GROUPS = 16,
    MIN_EXCESS_NS = 1000000
};

static const double min_ratio = 1.5;  /* slow step to median */
static const double min_growth = 1.1; /* last quarter to first quarter */

static uint64_t excess_of(const struct analysis_phase *phase, const struct analysis_step *step)
{
    return omptape_minus(step->longest, phase->median);
}

static size_t most_part(unsigned bucket)
{
    return offsetof(struct analysis_step, most_parts) + bucket * sizeof(uint64_t);
}

/* Usual time in each bucket: of the thread that worked longest, and of all threads. */
struct usual {
    uint64_t most[OMPTAPE_BUCKET_COUNT];
    uint64_t all[OMPTAPE_BUCKET_COUNT];
};

/* True if all threads, not only the one that worked longest, spend more time than usual in this bucket. */
static bool is_of_all(const struct analysis_state *state, const struct analysis_slow *slow,
                      const struct usual *usuals)
{
    const uint64_t own = omptape_minus(slow->step->most_parts[slow->bucket], slow->usual);
    const uint64_t all = omptape_minus(slow->step->parts[slow->bucket], usuals->all[slow->bucket]);
    return state->result->threads > 1 && (double)all > 0.7 * (double)state->result->threads * (double)own;
}

/* Returns the number of the program's own function in the path + 1, or of the last if none is its own. */
static uint64_t function_of(const struct omptape_reader *reader, const struct omptape_definition *last)
{
    enum { MAX_FRAMES = 1024 };
    const struct omptape_definition *context = last;
    for (unsigned i = 0; context != NULL && i < MAX_FRAMES; i++) {
        if (omptape_inside_frame(reader, context).is_own)
            return context->refs[0].id + 1;
        context = omptape_inside_caller(reader, context);
    }
    return last->refs[0].id + 1;
}

/* Finds the bucket in which the thread that worked longest exceeds its usual time by half of the step's
 * excess. */
static void find_reason(const struct analysis_state *state, struct analysis_slow *slow,
                        const struct usual *usuals)
{
    const struct analysis_phase *phase = slow->phase;
    uint64_t most = excess_of(phase, slow->step) / 2;
    slow->bucket = OMPTAPE_BUCKET_COUNT;
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        const uint64_t usual = usuals->most[bucket];
        const uint64_t more = omptape_minus(slow->step->most_parts[bucket], usual);
        if (!(omptape_buckets[bucket].work || omptape_buckets[bucket].off_cpu) || more <= most)
            continue;
        most = more;
        slow->bucket = bucket;
        slow->usual = usual;
    }
    if (slow->bucket == OMPTAPE_BUCKET_COUNT)
        return;
    slow->is_all = is_of_all(state, slow, usuals);
    const struct omptape_definition *context =
        slow->step->most_context > 0 && 2 * slow->step->most_there >= slow->step->most_samples
            ? omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, slow->step->most_context - 1)
            : NULL;
    slow->function = context != NULL ? function_of(state->reader, context) : 0;
}

struct slow_list {
    struct analysis_slow **list;
    uint32_t count;
    uint32_t capacity;
};

/* Returns true if both may have the same reason. A step with too few samples may have any function. */
static bool is_alike(const struct analysis_slow *one, const struct analysis_slow *other)
{
    return one->phase == other->phase && one->bucket == other->bucket && one->is_all == other->is_all &&
           (one->function == other->function || one->function == 0 || other->function == 0);
}

/* Merges the step with others of its phase and reason; the sentence describes the longest one. */
static void add_slow(struct analysis_state *state, struct slow_list *slows, const struct analysis_slow *one)
{
    for (uint32_t i = 0; i < slows->count; i++) {
        struct analysis_slow *slow = slows->list[i];
        if (!is_alike(slow, one))
            continue;
        slow->count++;
        omptape_add(&slow->excess, one->excess);
        if (one->step->longest > slow->step->longest) {
            slow->step = one->step;
            slow->usual = one->usual;
            slow->function = one->function;
        }
        return;
    }
    struct analysis_slow *copy = omptape_arena_alloc(&state->result->arena, sizeof(*copy));
    if (copy == NULL || !OMPTAPE_RESERVE(slows->list, slows->count + 1, &slows->capacity))
        return;
    *copy = *one;
    slows->list[slows->count++] = copy;
}

/* Returns the least excess of a slow step. It exceeds half of the median and the spread of the steps, and is
 * not small against the slowest one. */
static uint64_t min_excess(struct analysis_state *state, const struct analysis_phase *phase)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < phase->comparable_count; i++)
        most = omptape_greater(most, excess_of(phase, phase->comparable[i]));
    const uint64_t spread = omptape_steps_median(phase->comparable, phase->comparable_count,
                                                 offsetof(struct analysis_step, longest), phase->median);
    const uint64_t least = omptape_greater(omptape_whole((min_ratio - 1) * (double)phase->median),
                                           omptape_whole((double)MIN_EXCESS_NS / state->ns_per_tick));
    return omptape_greater(
        least, omptape_greater(omptape_times(MIN_SPREADS, spread), most / INVERSE_MIN_OF_LONGEST));
}

/* True if a missing processor explains the excess. The program does not cause it, nor in other steps. */
static bool lacked_processor(const struct analysis_phase *phase, const struct analysis_step *step,
                             uint64_t usual)
{
    return omptape_times(2, omptape_minus(step->most_parts[OMPTAPE_BUCKET_RUNNABLE], usual)) >
           excess_of(phase, step);
}

static void find_slow(struct analysis_state *state, struct slow_list *slows,
                      const struct analysis_phase *phase)
{
    uint64_t count = 0;
    if (phase->comparable_count < OMPTAPE_STEPS_MIN || phase->median == 0)
        return;
    const uint64_t least = min_excess(state, phase);
    struct usual usuals;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        usuals.most[bucket] =
            omptape_steps_median(phase->comparable, phase->comparable_count, most_part(bucket), 0);
        usuals.all[bucket] =
            omptape_steps_median(phase->comparable, phase->comparable_count, omptape_step_part(bucket), 0);
    }
    const uint64_t usual = usuals.most[OMPTAPE_BUCKET_RUNNABLE];
    for (uint64_t i = 0; i < phase->comparable_count; i++)
        count += excess_of(phase, phase->comparable[i]) > least &&
                 !lacked_processor(phase, phase->comparable[i], usual);
    for (uint64_t i = 0; i < phase->comparable_count && count <= phase->comparable_count / ONE_IN; i++) {
        struct analysis_slow slow = {.phase = phase,
                                     .step = phase->comparable[i],
                                     .count = 1,
                                     .excess = excess_of(phase, phase->comparable[i])};
        if (slow.excess <= least)
            continue;
        if (lacked_processor(phase, slow.step, usual)) {
            slow.bucket = OMPTAPE_BUCKET_RUNNABLE;
            slow.usual = usual;
        } else {
            find_reason(state, &slow, &usuals);
        }
        add_slow(state, slows, &slow);
    }
}

/* Returns true if `one` should be reported: numbered steps are preferred, then the outer one. */
static bool is_better(const struct analysis_slow *one, const struct analysis_slow *other)
{
    if ((one->phase->steps > 0) != (other->phase->steps > 0))
        return one->phase->steps > 0;
    return one->step->longest_begin < other->step->longest_begin ||
           one->step->longest_end > other->step->longest_end;
}

/* Reports only one of two slow steps if one contains the other and most of its excess. */
static void nest(const struct slow_list *slows)
{
    for (uint32_t i = 0; i < slows->count; i++) {
        for (uint32_t j = 0; j < slows->count; j++) {
            struct analysis_slow *outer = slows->list[i];
            struct analysis_slow *inner = slows->list[j];
            const bool lies = outer->phase != inner->phase &&
                              inner->step->longest_begin >= outer->step->longest_begin &&
                              inner->step->longest_end <= outer->step->longest_end &&
                              omptape_times(2, inner->excess) >= outer->excess;
            if (!lies || outer->is_within || inner->is_within)
                continue;
            if (is_better(outer, inner)) {
                inner->is_within = true;
                outer->inner = inner;
            } else {
                outer->is_within = true;
            }
        }
    }
}

static bool is_of_loss(enum omptape_finding_kind kind)
{
    switch (kind) {
    case OMPTAPE_FINDING_IMBALANCE:
    case OMPTAPE_FINDING_LOCK:
    case OMPTAPE_FINDING_TASK_CHAIN:
    case OMPTAPE_FINDING_SERIAL:
    case OMPTAPE_FINDING_NESTED_WAIT:
    case OMPTAPE_FINDING_OUTLIER:
    case OMPTAPE_FINDING_BLOCKED:
    case OMPTAPE_FINDING_PAGE_FAULTS:
    case OMPTAPE_FINDING_SYSTEM_TIME:
        return true;
    default:
        return omptape_finding_waits_in_mpi(kind);
    }
}

/* Returns true if half of the finding's worst instance lies within the slow step. */
static bool is_in(const struct omptape_finding *finding, const struct analysis_step *step)
{
    const uint64_t begin =
        finding->worst.begin > step->longest_begin ? finding->worst.begin : step->longest_begin;
    const uint64_t end = finding->worst.end < step->longest_end ? finding->worst.end : step->longest_end;
    const uint64_t length = omptape_minus(finding->worst.end, finding->worst.begin);
    return length > 0 && omptape_times(2, omptape_minus(end, begin)) >= length;
}

/* Returns true if the worst instance lies within one of the slow steps. They have the same reason, and the
 * longest one may be chance. */
static bool is_in_one(const struct omptape_finding *finding, const struct analysis_slow *slow)
{
    const struct analysis_phase *phase = slow->phase;
    if (slow->count == 1)
        return is_in(finding, slow->step);
    for (uint64_t i = 0; i < phase->comparable_count; i++)
        if (omptape_times(2 * slow->count, excess_of(phase, phase->comparable[i])) >= slow->excess &&
            is_in(finding, phase->comparable[i]))
            return true;
    return false;
}

/* Returns true for a long instance or serial part, whose time other findings also describe. */
static bool is_wide(const struct omptape_finding *finding)
{
    return finding->kind == OMPTAPE_FINDING_OUTLIER && finding->waited == 0;
}

/* Returns true if the finding describes the slow step's loss or a part of it. */
static bool is_part(const struct omptape_finding *finding, const struct analysis_slow *slow, uint64_t excess)
{
    return is_of_loss(finding->kind) && !omptape_findings_is_joined(finding) && finding->slow == NULL &&
           is_in_one(finding, slow) && finding->gain <= omptape_times(MAX_GAIN, excess);
}

/* Returns the largest finding that describes a considerable part of the loss, or NULL. Findings that name a
 * reason are preferred. A step without a processor does not explain what the program does. */
static struct omptape_finding *find_same(const struct analysis_findings *findings,
                                         const struct analysis_slow *slow, uint64_t excess)
{
    struct omptape_finding *found = NULL;
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (!is_part(finding, slow, excess) || omptape_times(MAX_RATIO, finding->gain) < excess ||
            (slow->bucket == OMPTAPE_BUCKET_RUNNABLE && !is_wide(finding)))
            continue;
        if (found == NULL || is_wide(finding) < is_wide(found) ||
            (is_wide(finding) == is_wide(found) && finding->gain > found->gain))
            found = finding;
    }
    return found;
}

/* Returns what other findings have of the excess. Wide ones describe the same loss: their gain is reduced. */
static uint64_t take_others(const struct analysis_findings *findings, const struct analysis_slow *slow,
                            uint64_t excess, const struct omptape_finding *found)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding == found || !is_part(finding, slow, excess))
            continue;
        if (is_wide(finding))
            finding->gain = omptape_minus(finding->gain, excess);
        else
            omptape_add(&sum, finding->gain);
    }
    return sum;
}

/* Returns true if samples show a function that was slow, or if there are none and threads rarely lacked a
 * processor. Otherwise a thread that waits in the runtime for one without a processor seems to compute. */
static bool has_function(const struct analysis_findings *findings, const struct analysis_slow *slow)
{
    const double most = 0.2;
    const struct omptape_reader *reader = findings->state->reader;
    const struct omptape_definition *context =
        slow->function > 0
            ? omptape_reader_find(reader, OMPTAPE_DEF_CALLING_CONTEXT, slow->step->most_context - 1)
            : NULL;
    if (context != NULL)
        return omptape_inside_call(reader, context, NULL).mark != OMPTAPE_INSIDE_RUNTIME;
    return findings->lacking_share < most;
}

/* Returns true if the step alone is a finding. A missing processor has findings of its own. A step without a
 * reason must be very slow, in a phase that the program named. */
static bool is_own_finding(const struct analysis_findings *findings, const struct analysis_slow *slow)
{
    const double plain_ratio = 3;
    if (omptape_phase_is_detected(slow->phase) && !has_function(findings, slow))
        return false;
    if (slow->bucket == OMPTAPE_BUCKET_COUNT && omptape_phase_is_detected(slow->phase))
        return false;
    return slow->bucket == OMPTAPE_BUCKET_COUNT
               ? (double)slow->step->longest >= plain_ratio * (double)slow->phase->median
               : slow->bucket != OMPTAPE_BUCKET_RUNNABLE;
}

static uint64_t all_processes(const struct analysis_findings *findings, uint64_t ticks)
{
    return omptape_times(ticks, findings->state->result->at_once);
}

/* Adds the step to the finding of another slow step of its phase and kind, if that finding contains this loss
 * too. Returns true in this case. */
static bool joins_other_step(const struct analysis_findings *findings, struct analysis_slow *slow,
                             uint64_t excess)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        struct analysis_slow *const first = findings->list[i].slow;
        if (first == NULL || first->next != NULL || first->phase != slow->phase ||
            first->bucket != slow->bucket ||
            omptape_times(2, omptape_minus(finding->gain, all_processes(findings, first->excess))) < excess)
            continue;
        first->next = slow;
        (void)take_others(findings, slow, excess, finding);
        return true;
    }
    return false;
}

static struct analysis_worst worst_of(const struct analysis_step *step)
{
    return (struct analysis_worst){step->longest, step->longest_begin, step->longest_end,
                                   step->most_location};
}

static void attribute_slow(struct analysis_findings *findings, struct analysis_slow *slow)
{
    const uint64_t excess = all_processes(findings, slow->excess);
    if (joins_other_step(findings, slow, excess))
        return;
    struct omptape_finding *finding = find_same(findings, slow, excess);
    if (finding == NULL && !is_own_finding(findings, slow))
        return;
    const uint64_t others = take_others(findings, slow, excess, finding);
    if (finding == NULL) {
        finding = omptape_findings_add(findings, OMPTAPE_FINDING_OUTLIER, slow->phase->region);
        omptape_findings_set_cost(finding, omptape_minus(excess, others), omptape_minus(excess, others));
        finding->count = slow->count;
        finding->worst = worst_of(slow->step);
    }
    finding->slow = slow;
}

/* True if each quarter takes longer than the previous one, by more than the steps of a quarter differ. */
static bool has_trend(const struct analysis_phase *phase, uint64_t *first, uint64_t *last)
{
    const uint64_t part = phase->comparable_count / OMPTAPE_STEP_QUARTERS;
    const size_t offset = offsetof(struct analysis_step, longest);
    uint64_t before = 0;
    if (phase->comparable_count < MIN_TREND)
        return false;
    for (uint32_t i = 0; i < OMPTAPE_STEP_QUARTERS; i++) {
        struct analysis_step *const *steps = &phase->comparable[i * part];
        const uint64_t median = omptape_steps_median(steps, part, offset, 0);
        const uint64_t spread = omptape_steps_median(steps, part, offset, median);
        if (median <= before || (i > 0 && median - before < spread))
            return false;
        *first = i == 0 ? median : *first;
        *last = before = median;
    }
    return (double)*last >= min_growth * (double)*first;
}

static void add_trend(struct analysis_findings *findings, const struct analysis_phase *phase)
{
    uint64_t first = 0;
    uint64_t last = 0;
    if (!has_trend(phase, &first, &last))
        return;
    struct omptape_finding *finding = omptape_findings_add(findings, OMPTAPE_FINDING_TREND, phase->region);
    for (uint64_t i = 0; i < phase->comparable_count; i++)
        omptape_add(&finding->spent_wall, omptape_minus(phase->comparable[i]->longest, first));
    finding->count = phase->comparable_count;
    finding->worst = worst_of(phase->comparable[phase->comparable_count - 1]);
}

static int compare_slow(const void *left, const void *right)
{
    const struct analysis_slow *one = *(struct analysis_slow *const *)left;
    const struct analysis_slow *other = *(struct analysis_slow *const *)right;
    if (one->excess != other->excess)
        return one->excess > other->excess ? -1 : 1;
    return (one->step->longest_begin > other->step->longest_begin) -
           (one->step->longest_begin < other->step->longest_begin);
}

void omptape_findings_attribute_steps(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    struct slow_list slows = {.list = NULL};
    for (uint32_t i = 0; i < state->phases.count; i++)
        find_slow(state, &slows, state->phases.list[i].value);
    omptape_sort(slows.list, slows.count, sizeof(struct analysis_slow *), compare_slow);
    slows.count = slows.count < MAX_GROUPS ? slows.count : MAX_GROUPS;
    nest(&slows);
    for (uint32_t i = 0; i < slows.count; i++)
        if (!slows.list[i]->is_within)
            attribute_slow(findings, slows.list[i]);
    for (uint32_t i = 0; i < state->phases.count; i++)
        add_trend(findings, state->phases.list[i].value);
    free(slows.list);
}
