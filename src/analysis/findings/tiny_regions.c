/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds tiny parallel regions and computes their overhead. Called by findings.c. Many programs have dozens of
 * them, each with a small cost, so all form one finding at the most expensive one. They form two findings if
 * one function has at least half of the gain.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/core/sort.h"

#include <stdlib.h>
#include <string.h>

/* AT_ONCE: upper bound of the processors that share the work; on more, a single thread may do most of it. */
enum { TINY_REGION_NS = 50000, MIN_OF_ONE = 10, AT_ONCE = 4 };

/* Returns the time below which a region is tiny: 50 us for up to 16 threads. Fork and join take longer with
 * each doubling, because threads wake each other in a tree. */
static double tiny_ns(const struct analysis_parallel *parallel)
{
    const unsigned few = 4;
    const unsigned log = 31U - (unsigned)__builtin_clz(parallel->threads | 1);
    return (double)TINY_REGION_NS * (log > few ? log : few) / few;
}

/* Returns true for nested regions that have more threads than processors, together with those around them. */
static bool is_crowded(const struct analysis_findings *findings, const struct analysis_parallel *parallel)
{
    const struct omptape_analysis *result = findings->state->result;
    uint64_t processors = 0; /* of the process with most */
    for (uint32_t i = 0; i < result->process_count; i++)
        processors = omptape_greater(processors, result->processes[i].processors);
    return parallel->outer > 1 && processors > 0 && omptape_findings_has_more_threads(parallel, processors);
}

/* Time of a region, with or without outliers. */
struct times {
    uint64_t wall;
    uint64_t useful; /* wall: thread time of work / threads */
};

/* Returns true if one thread would do all work in less than the time `most`, and in half of the region's
 * time. Why fork and join take long does not matter then, unless processors were missing for other reasons.
 */
static bool is_sooner_alone(const struct analysis_findings *findings,
                            const struct analysis_parallel *parallel, struct times times, double most)
{
    const double work = (double)times.useful * (double)parallel->threads;
    return (findings->rarely_lacks_processors || is_crowded(findings, parallel)) &&
           parallel->instances >= ANALYSIS_MIN_INSTANCES && parallel->threads > 1 && work < most &&
           2 * work < (double)times.wall;
}

/* A nested region of one thread has the same overhead for nothing. With too many threads, fork and join take
 * as long as threads wait for a processor. Then the time of the work on all processors is compared. */
static bool is_tiny(const struct analysis_findings *findings, const struct analysis_parallel *parallel,
                    struct times times)
{
    const double most = (double)parallel->instances * tiny_ns(parallel) / findings->state->ns_per_tick;
    if (parallel->instances < MIN_OF_ONE || (parallel->threads < 2 && parallel->outer < 2))
        return false;
    if ((double)times.wall < most || is_sooner_alone(findings, parallel, times, most))
        return true;
    const uint64_t processors = findings->fewest_processors < AT_ONCE ? findings->fewest_processors : AT_ONCE;
    return omptape_findings_has_too_many(findings, parallel) &&
           parallel->instances >= ANALYSIS_MIN_INSTANCES &&
           (double)times.useful * (double)parallel->threads < (double)processors * most / 2;
}

bool omptape_findings_is_tiny(const struct analysis_findings *findings,
                              const struct analysis_parallel *parallel)
{
    return is_tiny(findings, parallel, (struct times){parallel->wall, parallel->useful});
}

/* Returns true if the region is tiny without its outliers. What its threads wait for is in these then. With
 * too many threads all of its time counts. */
static bool is_usually_tiny(const struct analysis_findings *findings,
                            const struct analysis_parallel *parallel)
{
    return omptape_findings_is_tiny(findings, parallel) ||
           (!omptape_findings_has_too_many(findings, parallel) &&
            is_tiny(findings, parallel, (struct times){parallel->usual_wall, parallel->usual_useful}));
}

/* Returns the share (0 to 1) of the time in which at least one thread of a process wanted a processor and had
 * none. It is the mean of all processes. */
static double lacking(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double *none = omptape_calloc((size_t)result->process_count + 1, sizeof(*none));
    double sum = 0;
    if (none == NULL)
        return 0;
    for (uint32_t i = 0; i < result->process_count; i++)
        none[i] = 1;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        const double ticks = (double)thread->reading_ticks * state->ns_per_tick;
        const double queued = (double)thread->queued_ns;
        if (ticks > 0)
            none[thread->process] *= queued < ticks ? 1 - queued / ticks : 0;
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        sum += 1 - none[i];
    free(none);
    return result->process_count > 0 ? sum / result->process_count : 0;
}

/* Returns true if the kernel's readings show that threads rarely lacked a processor. */
static bool has_processors(const struct analysis_findings *findings)
{
    const double most = 0.2;
    for (uint32_t i = 0; i < findings->state->result->thread_count; i++)
        if (findings->state->result->thread_list[i].reading_ticks > 0)
            return findings->lacking_share < most;
    return false;
}

/* Returns the number of threads of the enclosing teams, at least 1. */
static uint64_t outer_of(const struct analysis_parallel *parallel)
{
    return parallel->outer > 0 ? parallel->outer : 1;
}

/* Single instances take much longer: the first one starts the threads, some have more work, others are
 * interrupted. */
static void set_usual(const struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        struct analysis_parallel *parallel = state->parallels.list[i].value;
        parallel->usual_wall = parallel->wall;
        parallel->usual_useful = parallel->useful;
    }
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        const struct analysis_outliers *outliers = state->outliers.list[i].value;
        struct analysis_parallel *parallel =
            outliers->kind == ANALYSIS_OUTLIER_INSTANCE
                ? omptape_analysis_of_region(&state->parallels, outliers->region)
                : NULL;
        if (parallel == NULL || (outliers->count == 0 && !outliers->is_explained))
            continue;
        parallel->usual_wall = omptape_minus(parallel->usual_wall, outliers->cost);
        /* They have the others' mean work, and their median time. */
        parallel->usual_useful =
            omptape_analysis_part(omptape_minus(parallel->usual_useful, outliers->all_useful),
                                  parallel->instances, omptape_minus(parallel->instances, outliers->count));
    }
}

/* Returns the time beside the work, without outliers. */
static uint64_t beside_of(const struct analysis_parallel *parallel)
{
    return omptape_minus(parallel->usual_wall, parallel->usual_useful);
}

/* Returns the region's overhead without the first thread's recording. In a tiny region every thread is
 * needed: while one lacks a processor (to the writer or to others), all wait. That lengthens the work and the
 * rest alike. */
static uint64_t whole_overhead_of(const struct analysis_findings *findings,
                                  const struct analysis_parallel *parallel)
{
    const double beside = (double)beside_of(parallel);
    return omptape_findings_without(findings->state, omptape_whole(beside * (1 - findings->lacking_share)),
                                    (double)parallel->records / 256);
}

bool omptape_findings_outlives_tiny(const struct analysis_findings *findings,
                                    const struct analysis_parallel *parallel,
                                    const struct analysis_cause *cause)
{
    enum { INVERSE_MIN_SHARE = 10 };
    const bool is_of_work = cause->kind == OMPTAPE_FINDING_IMBALANCE || cause->kind == OMPTAPE_FINDING_LOCK ||
                            cause->kind == OMPTAPE_FINDING_SERIAL;
    return is_of_work && !omptape_findings_has_too_many(findings, parallel) &&
           omptape_times(INVERSE_MIN_SHARE * outer_of(parallel), cause->gain_parts / 256) >
               whole_overhead_of(findings, parallel);
}

/* Returns the region's overhead without the waiting that has findings of its own. */
static uint64_t overhead_of(const struct analysis_findings *findings,
                            const struct analysis_parallel *parallel)
{
    const struct analysis_state *state = findings->state;
    uint64_t explained = 0;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->parallel == parallel->region && omptape_findings_outlives_tiny(findings, parallel, cause))
            omptape_add(&explained, omptape_times(cause->gain_parts / 256, outer_of(parallel)));
    }
    return omptape_minus(whole_overhead_of(findings, parallel), explained);
}

/* Returns how much longer one thread would take for the work of all. */
static uint64_t work_of_others(const struct analysis_parallel *parallel)
{
    return omptape_times(parallel->usual_useful, parallel->threads - 1);
}

/* Returns true if a single thread would be faster. One region around all keeps the barriers, about half of
 * the overhead. A single thread has none of it, but does all the work. */
static bool is_better_alone(const struct analysis_findings *findings,
                            const struct analysis_parallel *parallel)
{
    return !omptape_findings_has_too_many(findings, parallel) &&
           overhead_of(findings, parallel) / 2 > work_of_others(parallel);
}

/* Returns the gain of the proposal. With too many threads it is the region's part of that cost. */
static uint64_t gain_of(const struct analysis_findings *findings, const struct analysis_parallel *parallel)
{
    const uint64_t outer = outer_of(parallel);
    const uint64_t overhead = overhead_of(findings, parallel);
    if (omptape_findings_has_too_many(findings, parallel))
        return omptape_whole((double)parallel->wall * findings->lost_share) / outer;
    if (is_better_alone(findings, parallel))
        return omptape_minus(overhead, work_of_others(parallel)) / outer;
    return overhead / outer;
}

/* Returns the cost of tracing in the time beside the work. */
static uint64_t tracing_of(const struct analysis_findings *findings, const struct analysis_parallel *parallel)
{
    const uint64_t outer = outer_of(parallel);
    const uint64_t beside = beside_of(parallel);
    return (beside - omptape_findings_without(findings->state, beside, (double)parallel->records / 256)) /
           outer;
}

/* Returns the part of `rest` (cost minus gain) that remains after the change. */
static uint64_t remaining_of(const struct analysis_findings *findings,
                             const struct analysis_parallel *parallel, uint64_t rest)
{
    const uint64_t outer = outer_of(parallel);
    if (omptape_findings_has_too_many(findings, parallel))
        return rest;
    const uint64_t stays = parallel->is_better_alone ? work_of_others(parallel) / outer : 0;
    return stays < rest ? stays : rest;
}

static bool costs_more(const struct analysis_findings *findings, const struct analysis_parallel *one,
                       const struct analysis_parallel *other)
{
    uint64_t gain = gain_of(findings, one);
    uint64_t other_gain = gain_of(findings, other);
    return gain > other_gain ||
           (gain == other_gain && one->region->definition->id < other->region->definition->id);
}

static int compare_functions(const struct analysis_region *one, const struct analysis_region *other)
{
    int function = strcmp(one->function, other->function);
    return function != 0 ? function : strcmp(one->file, other->file);
}

static int by_function(const void *left, const void *right)
{
    const struct analysis_region *one = (*(struct analysis_parallel *const *)left)->region;
    const struct analysis_region *other = (*(struct analysis_parallel *const *)right)->region;
    int function = compare_functions(one, other);
    return function != 0 ? function
                         : (one->definition->id > other->definition->id) -
                               (one->definition->id < other->definition->id);
}

static void add_group(struct analysis_findings *findings, struct analysis_parallel *const *list,
                      uint32_t count)
{
    const struct analysis_parallel *worst = NULL;
    uint64_t instances = 0;
    for (uint32_t i = 0; i < count; i++) {
        omptape_add(&instances, list[i]->instances);
        if (worst == NULL || costs_more(findings, list[i], worst))
            worst = list[i];
    }
    if (instances < ANALYSIS_MIN_INSTANCES)
        return;
    struct omptape_finding *finding =
        omptape_findings_at(findings, OMPTAPE_FINDING_TINY_REGIONS, worst->region);
    finding->count = instances;
    omptape_findings_set_worst(finding, &worst->region->visits);
    for (uint32_t i = 0; i < count; i++) {
        list[i]->tiny_with = worst->region;
        list[i]->is_better_alone = is_better_alone(findings, list[i]);
        const uint64_t gain = gain_of(findings, list[i]);
        const uint64_t beside = beside_of(list[i]) / outer_of(list[i]);
        const uint64_t whole = beside > gain ? beside : gain;
        const uint64_t remaining = remaining_of(findings, list[i], whole - gain);
        omptape_add(&finding->gain, gain);
        omptape_add(&finding->cost, whole);
        omptape_add(&finding->cost_wall, whole);
        omptape_add(&finding->remaining_wall, remaining);
        const uint64_t left = whole - gain - remaining;
        const uint64_t tracing = tracing_of(findings, list[i]);
        omptape_add(&finding->tracing, tracing < left ? tracing : left);
        omptape_add(&finding->waited, omptape_times(beside_of(list[i]), list[i]->threads));
    }
}

/* Returns the index of the function with at least half of the gain in the list, and its number of regions in
 * *length. Without such a function it returns the whole list. */
static uint32_t find_function(const struct analysis_findings *findings, struct analysis_parallel *const *list,
                              uint32_t count, uint32_t *length)
{
    uint64_t all = 0;
    uint64_t most = 0;
    uint32_t first = 0;
    *length = count;
    for (uint32_t i = 0; i < count; i++)
        omptape_add(&all, gain_of(findings, list[i]));
    for (uint32_t i = 0; i < count;) {
        uint64_t gain = 0;
        uint32_t end = i;
        while (end < count && compare_functions(list[i]->region, list[end]->region) == 0)
            omptape_add(&gain, gain_of(findings, list[end++]));
        if (gain > most && gain >= all / 2 && list[i]->region->function[0] != '\0') {
            most = gain;
            first = i;
            *length = end - i;
        }
        i = end;
    }
    return first;
}

void omptape_findings_add_tiny(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    struct analysis_parallel **list =
        omptape_calloc((size_t)state->parallels.count + 1, sizeof(struct analysis_parallel *));
    uint32_t count = 0;
    uint32_t length = 0;
    set_usual(state);
    findings->lacking_share = lacking(findings->state);
    findings->rarely_lacks_processors = has_processors(findings);
    if (list == NULL)
        return;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (is_usually_tiny(findings, parallel) && parallel->usual_wall > parallel->usual_useful)
            list[count++] = parallel;
    }
    omptape_sort(list, count, sizeof(struct analysis_parallel *), by_function);
    uint32_t first = find_function(findings, list, count, &length);
    add_group(findings, list + first, length);
    memmove(list + first, list + first + length,
            (count - first - length) * sizeof(struct analysis_parallel *));
    add_group(findings, list, count - length);
    free(list);
}

void omptape_findings_keep_tiny(const struct analysis_findings *findings,
                                const struct omptape_finding *finding, double part)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (parallel->tiny_with == finding->region)
            omptape_add(&parallel->region->gain,
                        omptape_whole(part * (double)gain_of(findings, parallel) / state->result->at_once));
    }
}
