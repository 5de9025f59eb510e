/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges findings that a user sees as one problem, because one change resolves them. Called by findings.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"

#include <string.h>

static bool is_around(const struct analysis_region *region, const char *function)
{
    return region != NULL && strcmp(region->function, function) == 0;
}

/* Returns the program's function with half of a serial part's samples. Returns NULL if there is none, or if
 * it is the regions' own function, which does more than this part. */
static const char *find_inside(const struct analysis_state *state, const struct analysis_serial *serial)
{
    struct omptape_inside inside;
    const char *function = NULL;
    if (!omptape_inside_gather(state->result, NULL, serial, &inside))
        return NULL;
    if (inside.count >= OMPTAPE_INSIDE_TOO_FEW && 2 * inside.entries[0].count >= inside.count)
        function = inside.entries[0].call.own.function;
    if (function != NULL && (is_around(serial->after, function) || is_around(serial->before, function)))
        function = NULL;
    omptape_inside_free(&inside);
    return function;
}

/* Looks up that function for serial parts with a gain of at least a hundredth of the wall time. */
static void look_inside(struct analysis_findings *findings)
{
    enum { INVERSE_MIN_SHARE = 100 };
    const struct omptape_analysis *result = findings->state->result;
    const uint64_t least =
        omptape_times(omptape_minus(result->end, result->begin) / INVERSE_MIN_SHARE, result->at_once);
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding->kind == OMPTAPE_FINDING_SERIAL && finding->serial != NULL && finding->gain >= least)
            finding->inside = find_inside(findings->state, finding->serial);
    }
}

/* Returns true for one place before, between or after the regions of a loop. What each round repeats may also
 * occur before the first region or after the last. The mean times must be similar. */
static bool is_same_round(const struct omptape_finding *one, const struct omptape_finding *other)
{
    if (one->serial == NULL || other->serial == NULL || one->count == 0 || other->count == 0)
        return false;
    const struct analysis_serial *a = one->serial;
    const struct analysis_serial *b = other->serial;
    const uint64_t mean = one->waited / one->count;
    const uint64_t other_mean = other->waited / other->count;
    return ((a->before == b->before && (a->after == NULL) != (b->after == NULL)) ||
            (a->after == b->after && (a->before == NULL) != (b->before == NULL))) &&
           mean / 2 <= other_mean && other_mean / 2 <= mean;
}

/* Returns true if an outer team waits for a thread whose inner team is unbalanced: one change resolves both.
 */
static bool are_of_nested(const struct omptape_finding *one, const struct omptape_finding *other)
{
    return (one->kind == OMPTAPE_FINDING_NESTED_WAIT && other->kind == OMPTAPE_FINDING_IMBALANCE) ||
           (one->kind == OMPTAPE_FINDING_IMBALANCE && other->kind == OMPTAPE_FINDING_NESTED_WAIT);
}

/* Sets `late` of findings about waiting between processes. */
static void find_pairs(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        uint64_t all;
        uint64_t between;
        if (omptape_finding_waits_in_mpi(finding->kind))
            finding->late = omptape_findings_most_late(findings->state, finding, &all, &between);
    }
}

/* Returns true if two processes wait for each other alternately, each at its own place. They wait about
 * equally often, for times of the same order. If one works more meanwhile (by sending earlier, for example),
 * the other one's waiting disappears too. */
static bool are_in_turn(const struct analysis_late *one, const struct analysis_late *other)
{
    enum { MAX_RATIO = 8 };
    return one != NULL && other != NULL && one->waiter == other->process && other->waiter == one->process &&
           one->first_end < other->last_end && other->first_end < one->last_end &&
           one->count <= 2 * other->count && other->count <= 2 * one->count &&
           one->waited / MAX_RATIO <= other->waited && other->waited / MAX_RATIO <= one->waited;
}

static const struct analysis_late *waits_for(const struct analysis_state *state,
                                             const struct omptape_finding *finding, uint64_t process)
{
    return omptape_pairs_get(&state->late, omptape_findings_late_key(finding), process);
}

/* Returns true if nearly all waiting of `one` is of processes whose awaited process waits for them in turn in
 * `other`. */
static bool is_returned(const struct analysis_state *state, const struct omptape_finding *one,
                        const struct omptape_finding *other)
{
    const double nearly = 0.95;
    const uint64_t key = omptape_findings_late_key(one);
    uint64_t all = 0;
    uint64_t returned = 0;
    for (uint32_t i = 0; i < state->late.count; i++) {
        const struct analysis_late *late = state->late.list[i].value;
        if (state->late.list[i].high != key)
            continue;
        omptape_add(&all, late->waited);
        if (are_in_turn(late, waits_for(state, other, late->waiter)))
            omptape_add(&returned, late->waited);
    }
    return (double)returned >= nearly * (double)all;
}

static bool wait_in_turn(const struct analysis_state *state, const struct omptape_finding *one,
                         const struct omptape_finding *other)
{
    return one->late != NULL && other->late != NULL &&
           are_in_turn(one->late, waits_for(state, other, one->late->waiter)) &&
           is_returned(state, one, other) && is_returned(state, other, one);
}

/* Returns true if one change resolves both findings. Cases: a combined construct, which is two regions at one
 * place; transfers to and from a device at one construct. Fine tasks that one function creates at two places,
 * as in recursion, which one cut-off resolves. Serial parts repeated in each round. Page faults in parallel
 * work, which huge pages resolve everywhere, and all of memory that is given back. */
bool omptape_findings_is_same(const struct analysis_state *state, const struct omptape_finding *one,
                              const struct omptape_finding *other)
{
    bool of_place = one->kind == OMPTAPE_FINDING_IMBALANCE || one->kind == OMPTAPE_FINDING_NESTED_WAIT ||
                    one->kind == OMPTAPE_FINDING_PREEMPTION || one->kind == OMPTAPE_FINDING_BLOCKED ||
                    one->transfer != NULL;
    bool of_function = one->kind == OMPTAPE_FINDING_FINE_TASKS;
    if (wait_in_turn(state, one, other))
        return true;
    if (one->kind != other->kind && !are_of_nested(one, other))
        return false;
    if (one->inside != NULL && other->inside != NULL && strcmp(one->inside, other->inside) == 0)
        return true;
    if (one->kind == OMPTAPE_FINDING_PAGE_FAULTS)
        return omptape_findings_gives_back(state) || (one->serial == NULL && other->serial == NULL);
    if (one->serial != NULL || other->serial != NULL)
        return is_same_round(one, other);
    if (one->region == NULL || other->region == NULL)
        return false;
    return ((of_place && one->region->line > 0 && one->region->line == other->region->line) ||
            (of_function && one->region->function[0] != '\0' &&
             strcmp(one->region->function, other->region->function) == 0)) &&
           strcmp(one->region->file, other->region->file) == 0;
}

bool omptape_findings_is_joined(const struct omptape_finding *finding)
{
    return finding->gain_of_others == finding->gain;
}

/* Returns true if the finding `other` names the place of both better. A message does so better than a
 * collective operation, which only ends what began with the message. Otherwise the larger gain decides. */
static bool names_better(const struct omptape_finding *one, const struct omptape_finding *other)
{
    const bool at_collective = one->kind == OMPTAPE_FINDING_COLLECTIVE_WAIT;
    if (at_collective != (other->kind == OMPTAPE_FINDING_COLLECTIVE_WAIT))
        return at_collective;
    return other->gain > one->gain;
}

static void bring_first(const struct analysis_state *state, struct omptape_finding *first,
                        struct omptape_finding *behind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!omptape_findings_is_joined(&behind[i]) && omptape_findings_is_same(state, first, &behind[i]) &&
            names_better(first, &behind[i])) {
            struct omptape_finding less = *first;
            *first = behind[i];
            behind[i] = less;
        }
    }
}

/* Reduces the gain to this part of it. The rest remains. */
static void keep_part(struct omptape_finding *finding, uint64_t part, uint64_t all)
{
    const uint64_t gain = omptape_analysis_part(finding->gain, part, all);
    omptape_add(&finding->remaining_wall, omptape_minus(finding->gain, gain));
    finding->gain = gain;
}

/* If both processes work at the same time, each waits for as long as the other has more work. So this wins
 * twice the shorter waiting, not the sum. Where the work differs more, the proposal is to even it out
 * (sentences_mpi.c), which wins the sum. */
static void limit_to_overlap(struct analysis_findings *findings, struct omptape_finding *first)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_finding *end = &findings->list[findings->count];
    uint64_t sum = 0;
    for (const struct omptape_finding *other = first + 1; other < end; other++)
        if (!omptape_findings_is_joined(other) && wait_in_turn(state, first, other))
            omptape_add(&sum, other->gain);
    const uint64_t least = first->gain < sum ? first->gain : sum;
    const uint64_t most = first->gain < sum ? sum : first->gain;
    if (sum == 0 || omptape_times(3, most) > omptape_times(5, least))
        return;
    for (struct omptape_finding *other = first + 1; other < end; other++)
        if (!omptape_findings_is_joined(other) && wait_in_turn(state, first, other))
            keep_part(other, least, sum);
    keep_part(first, least, first->gain);
}

void omptape_findings_join(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    find_pairs(findings);
    look_inside(findings);
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *first = &findings->list[i];
        if (omptape_findings_is_joined(first))
            continue;
        bring_first(state, first, first + 1, findings->count - i - 1);
        limit_to_overlap(findings, first);
        for (uint32_t j = i + 1; j < findings->count; j++) {
            struct omptape_finding *other = &findings->list[j];
            if (omptape_findings_is_joined(other) || !omptape_findings_is_same(state, first, other))
                continue;
            omptape_add(&first->gain, other->gain);
            omptape_add(&first->cost, other->cost);
            omptape_add(&first->cost_wall, other->cost_wall);
            omptape_add(&first->remaining_wall, other->remaining_wall);
            omptape_add(&first->tracing, other->tracing);
            omptape_add(&first->gain_of_others, other->gain);
            other->gain_of_others = other->gain;
            first->others += first->kind == OMPTAPE_FINDING_PAGE_FAULTS ||
                             (first->inside != NULL && other->inside != NULL);
            if (are_of_nested(first, other)) /* other threads wait there */
                continue;
            omptape_add(&first->waited, other->waited);
            omptape_add(&first->blocked_time, other->blocked_time);
            first->blocked_threads = other->blocked_threads > first->blocked_threads ? other->blocked_threads
                                                                                     : first->blocked_threads;
            omptape_add(&first->count, other->count);
        }
    }
}
