/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which findings a person takes for one, because one change mends them. Called by findings.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"

#include <string.h>

static bool is_around(const struct analysis_region *region, const char *function)
{
    return region != NULL && strcmp(region->function, function) == 0;
}

/* The program's function that has half of the samples of a serial part, if it is not the one that the regions
 * are in: that does more. */
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

/* Looks inside the serial parts that are worth it. */
static void look_inside(struct analysis_findings *findings)
{
    enum { LEAST_PART = 100 };
    const struct omptape_analysis *result = findings->state->result;
    const uint64_t least = omptape_times(omptape_minus(result->end, result->begin) / LEAST_PART,
                                         result->process_count > 0 ? result->process_count : 1);
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding->kind == OMPTAPE_FINDING_SERIAL && finding->serial != NULL && finding->gain >= least)
            finding->inside = find_inside(findings->state, finding->serial);
    }
}

/* What one thread does in each round of a loop over parallel regions it also does before the first of them,
 * or after the last: that is one place in the source, if it takes as long there. */
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

/* An outer team waits for the thread whose inner one is unequal: the same is mended. */
static bool are_of_nested(const struct omptape_finding *one, const struct omptape_finding *other)
{
    return (one->kind == OMPTAPE_FINDING_NESTED_WAIT && other->kind == OMPTAPE_FINDING_IMBALANCE) ||
           (one->kind == OMPTAPE_FINDING_IMBALANCE && other->kind == OMPTAPE_FINDING_NESTED_WAIT);
}

/* Of findings of processes that wait for each other's messages: the one that waits and the one that is late,
 * if there are no others. */
static void find_pairs(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        const uint64_t key = (uint64_t)finding->kind << 32 | omptape_analysis_region_id(finding->region);
        uint32_t found = 0;
        for (uint32_t j = 0; j < state->late.count && finding->kind == OMPTAPE_FINDING_LATE_SENDER; j++) {
            if (state->late.list[j].high != key)
                continue;
            finding->late = state->late.list[j].value;
            found++;
        }
        if (found != 1 || finding->late->waiter == ANALYSIS_SEVERAL)
            finding->late = NULL;
    }
}

/* Two processes wait for each other in turn, each at a place of its own, about as often. If one does more
 * meanwhile, as when it sends earlier, the other one's waiting goes as well. */
static bool are_in_turn(const struct analysis_late *one, const struct analysis_late *other)
{
    return one != NULL && other != NULL && one->waiter == other->process && other->waiter == one->process &&
           one->first_end < other->last_end && other->first_end < one->last_end &&
           one->count <= 2 * other->count && other->count <= 2 * one->count;
}

/* A combined construct is two regions at one place, which a person sees as one, as is what a construct moves
 * to a device and back; and where a function creates fine tasks at two places, as in recursion to the left
 * and to the right, one cut-off mends both. Likewise what is done in each round. */
bool omptape_findings_is_same(const struct omptape_finding *one, const struct omptape_finding *other)
{
    bool of_place = one->kind == OMPTAPE_FINDING_IMBALANCE || one->kind == OMPTAPE_FINDING_NESTED_WAIT ||
                    one->kind == OMPTAPE_FINDING_PREEMPTION || one->kind == OMPTAPE_FINDING_BLOCKED ||
                    one->transfer != NULL;
    bool of_function = one->kind == OMPTAPE_FINDING_FINE_TASKS;
    if (one->kind != other->kind && !are_of_nested(one, other))
        return false;
    if (one->inside != NULL && other->inside != NULL && strcmp(one->inside, other->inside) == 0)
        return true;
    if (one->serial != NULL || other->serial != NULL)
        return is_same_round(one, other);
    if (one->region == NULL || other->region == NULL)
        return false;
    if (are_in_turn(one->late, other->late))
        return true;
    return ((of_place && one->region->line > 0 && one->region->line == other->region->line) ||
            (of_function && one->region->function[0] != '\0' &&
             strcmp(one->region->function, other->region->function) == 0)) &&
           strcmp(one->region->file, other->region->file) == 0;
}

bool omptape_findings_is_joined(const struct omptape_finding *finding)
{
    return finding->elsewhere == finding->gain;
}

static void bring_first(struct omptape_finding *first, struct omptape_finding *behind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (omptape_findings_is_same(first, &behind[i]) && behind[i].gain > first->gain) {
            struct omptape_finding less = *first;
            *first = behind[i];
            behind[i] = less;
        }
    }
}

void omptape_findings_join(struct analysis_findings *findings)
{
    find_pairs(findings);
    look_inside(findings);
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *first = &findings->list[i];
        if (omptape_findings_is_joined(first))
            continue;
        bring_first(first, first + 1, findings->count - i - 1);
        for (uint32_t j = i + 1; j < findings->count; j++) {
            struct omptape_finding *other = &findings->list[j];
            if (omptape_findings_is_joined(other) || !omptape_findings_is_same(first, other))
                continue;
            omptape_add(&first->gain, other->gain);
            omptape_add(&first->cost, other->cost);
            omptape_add(&first->whole, other->whole);
            omptape_add(&first->mended, other->mended);
            omptape_add(&first->tracing, other->tracing);
            omptape_add(&first->elsewhere, other->gain);
            other->elsewhere = other->gain;
            first->others += first->inside != NULL && other->inside != NULL;
            if (first->kind != other->kind) /* who waits there are others */
                continue;
            omptape_add(&first->waited, other->waited);
            omptape_add(&first->lacked, other->lacked);
            first->lackers = other->lackers > first->lackers ? other->lackers : first->lackers;
            omptape_add(&first->count, other->count);
        }
    }
}
