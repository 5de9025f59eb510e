/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes waiting or a serial part to a single long chunk, task, instance or step (outliers.h).
 */
#include "src/analysis/outliers.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A single shorter outlier may be an interruption that the kernel does not report, as by a hypervisor. */
enum { INTERRUPTION_NS = 10000000 };

static bool is_wide(const struct analysis_outliers *outliers)
{
    return outliers->kind == ANALYSIS_OUTLIER_INSTANCE || outliers->kind == ANALYSIS_OUTLIER_SERIAL ||
           outliers->kind == ANALYSIS_OUTLIER_STEP;
}

/* Returns true if most of the worst of `one` lies within the worst of `other`, and is at least half of it. A
 * serial part ends at the next team's begin, a step at its fork. */
static bool is_most_of(const struct analysis_outliers *one, const struct analysis_outliers *other)
{
    const uint64_t begin = one->worst.begin > other->worst.begin ? one->worst.begin : other->worst.begin;
    const uint64_t end = one->worst.end < other->worst.end ? one->worst.end : other->worst.end;
    return omptape_times(2, omptape_minus(end, begin)) >= omptape_minus(one->worst.end, one->worst.begin) &&
           omptape_times(2, one->worst.ticks) >= other->worst.ticks;
}

/* Returns true if all threads took long, so that the instance is the outlier and not one thread's visit. The
 * summed cost is then about the instance's cost times the number of threads; otherwise it is about the same.
 */
static bool are_all_long(const struct analysis_state *state, const struct analysis_outliers *one,
                         const struct analysis_outliers *instance)
{
    const double threads = omptape_analysis_mean_threads(state->result);
    return threads > 1 && instance->kind == ANALYSIS_OUTLIER_INSTANCE &&
           2 * (double)one->cost >= (threads + 1) * (double)instance->cost;
}

/* True if `other` explains `outliers`. Of two that cover the same time, the narrower one is the reason, as an
 * instance within another one. */
static bool is_reason(const struct analysis_state *state, const struct analysis_outliers *other,
                      const struct analysis_outliers *outliers)
{
    if (other == outliers || other->count == 0)
        return false;
    if (other->kind == outliers->kind)
        return other->nesting > outliers->nesting && is_most_of(other, outliers);
    if (other->kind < outliers->kind)
        return is_most_of(other, outliers) && !are_all_long(state, other, outliers);
    return is_most_of(outliers, other) && are_all_long(state, outliers, other);
}

static bool is_explained(const struct analysis_state *state, const struct analysis_outliers *outliers)
{
    for (uint32_t i = 0; i < state->outliers.count; i++)
        if (is_reason(state, state->outliers.list[i].value, outliers))
            return true;
    return false;
}

void omptape_outliers_choose(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        struct analysis_outliers *outliers = state->outliers.list[i].value;
        outliers->is_explained = outliers->count > 0 && is_explained(state, outliers);
    }
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        struct analysis_outliers *outliers = state->outliers.list[i].value;
        outliers->count = outliers->is_explained ? 0 : outliers->count;
    }
}

static bool is_sure(const struct analysis_state *state, const struct analysis_outliers *outliers)
{
    return (double)outliers->worst.ticks * state->ns_per_tick >= (double)INTERRUPTION_NS || outliers->is_same;
}

/* Returns true if the finding's waiting is at this place. A loop's parallel region is the same place. */
static bool is_at(const struct analysis_state *state, const struct omptape_finding *finding,
                  const struct analysis_outliers *outliers)
{
    const bool waits = finding->kind == OMPTAPE_FINDING_IMBALANCE ||
                       finding->kind == OMPTAPE_FINDING_TASK_CHAIN ||
                       (finding->kind == OMPTAPE_FINDING_SERIAL && finding->serial == NULL);
    if (!waits || finding->outlier != NULL || finding->region == NULL ||
        omptape_findings_is_joined(finding) ||
        omptape_findings_is_little(state->result, omptape_mean(finding->gain, state->result->at_once)))
        return false;
    const struct analysis_loop *loop = omptape_analysis_of_region(&state->loops, finding->region);
    return finding->region == outliers->region || (loop != NULL && loop->parallel == outliers->region) ||
           (finding->around == outliers->region && outliers->kind == ANALYSIS_OUTLIER_INSTANCE);
}

/* Returns true if the outlier explains the waiting. The longest wait overlaps the worst one or, for a
 * recurring outlier, it has half of the cost. */
static bool is_due(const struct analysis_state *state, const struct omptape_finding *finding,
                   const struct analysis_outliers *outliers)
{
    const uint64_t begin =
        finding->worst.begin > outliers->worst.begin ? finding->worst.begin : outliers->worst.begin;
    const uint64_t end = finding->worst.end < outliers->worst.end ? finding->worst.end : outliers->worst.end;
    const double others = fmax(omptape_analysis_mean_threads(state->result) - 1, 1);
    return 2 * others * (double)outliers->cost >= (double)finding->waited &&
           (outliers->is_same || omptape_times(2, omptape_minus(end, begin)) >= outliers->worst.ticks);
}

static void attribute(struct omptape_finding *finding, const struct analysis_outliers *outliers)
{
    finding->outlier = outliers;
    finding->worst = outliers->worst;
}

static bool attribute_waiting(const struct analysis_findings *findings,
                              const struct analysis_outliers *outliers)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (is_at(findings->state, finding, outliers) && is_due(findings->state, finding, outliers)) {
            attribute(finding, outliers);
            return true;
        }
    }
    return false;
}

/* Attributes a serial part to the outlier if it is at least half of it. */
static bool attribute_serial(const struct analysis_findings *findings,
                             const struct analysis_outliers *outliers)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding->serial == NULL || finding->serial->after != outliers->region ||
            finding->serial->before != outliers->before || omptape_findings_is_joined(finding) ||
            (finding->kind == OMPTAPE_FINDING_PAGE_FAULTS && finding->others > 0))
            continue;
        if (omptape_times(2, outliers->cost) < finding->serial->sum)
            return true; /* the serial part's finding has the cost already */
        uint64_t *const parts[] = {&finding->gain, &finding->cost, &finding->cost_wall,
                                   &finding->remaining_wall, &finding->waited};
        for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++)
            *parts[j] = omptape_analysis_part(*parts[j], outliers->cost, finding->serial->sum);
        attribute(finding, outliers);
        return true;
    }
    return false;
}

/* Returns true if the thread slept instead of working more than others. */
static bool was_asleep(const struct analysis_findings *findings, const struct analysis_outliers *outliers)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        if (finding->kind == OMPTAPE_FINDING_BLOCKED && finding->serial == NULL &&
            omptape_inside_is_beside(finding->region, outliers->region) &&
            2 * omptape_analysis_mean_threads(findings->state->result) * (double)finding->gain >=
                (double)outliers->cost)
            return true;
    }
    return false;
}

/* Returns true for an instance of a region that has more threads than processors, if its work explains less
 * than half of its time. Waiting for each other makes such instances long. */
static bool lacks_processors(const struct analysis_findings *findings,
                             const struct analysis_outliers *outliers)
{
    const struct analysis_parallel *parallel =
        omptape_analysis_of_region(&findings->state->parallels, outliers->region);
    const struct analysis_location *location =
        omptape_pairs_get(&findings->state->locations, 0, outliers->worst.location);
    const uint64_t processors =
        location != NULL ? findings->state->result->processes[location->process].processors : 0;
    return outliers->kind == ANALYSIS_OUTLIER_INSTANCE && parallel != NULL && processors > 0 &&
           omptape_findings_has_more_threads(parallel, processors) &&
           omptape_times(2, outliers->worst_work) < omptape_times(processors, outliers->worst.ticks);
}

static void add(struct analysis_findings *findings, const struct analysis_outliers *outliers)
{
    struct omptape_finding *finding =
        omptape_findings_at(findings, OMPTAPE_FINDING_OUTLIER, outliers->region);
    if (finding->outlier != NULL)
        return;
    attribute(finding, outliers);
    finding->before = outliers->before;
    finding->count = outliers->count;
    if (is_wide(outliers))
        omptape_findings_set_cost(finding, outliers->cost, outliers->cost);
    else /* a part of everybody's work that no thread waits for */
        finding->spent_wall = omptape_mean(outliers->cost, findings->state->result->threads);
}

void omptape_findings_attribute_outliers(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->outliers.count; i++) {
        const struct analysis_outliers *outliers = state->outliers.list[i].value;
        if (outliers->count == 0 || !is_sure(state, outliers) || lacks_processors(findings, outliers))
            continue;
        bool is_attributed =
            outliers->kind == ANALYSIS_OUTLIER_SERIAL
                ? attribute_serial(findings, outliers)
                : outliers->kind != ANALYSIS_OUTLIER_STEP && attribute_waiting(findings, outliers);
        const bool is_work = outliers->kind == ANALYSIS_OUTLIER_CHUNK && !was_asleep(findings, outliers);
        if (!is_attributed && (is_wide(outliers) || is_work))
            add(findings, outliers);
    }
}

void omptape_findings_set_outlier_kind(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->list[i].outlier != NULL)
            findings->list[i].kind = OMPTAPE_FINDING_OUTLIER;
}

const char *omptape_outlier_key(enum analysis_outlier_kind kind)
{
    static const char *const names[ANALYSIS_OUTLIER_KINDS] = {"chunk",    "visit",       "task",
                                                              "instance", "serial part", "step"};
    return names[kind];
}

/* Returns true if the number lies where Linux puts heaps, stacks and files: from 2^45 to 2^47, or to 2^48 on
 * AArch64. Counted numbers and times in milliseconds are smaller, times in microseconds are larger. */
static bool may_be_address(uint64_t number)
{
    return number >> 45 != 0 && number >> 48 == 0;
}

const char *omptape_outlier_which(const struct analysis_outliers *outliers, char *text, size_t bytes)
{
    const uint64_t number = outliers->worst_number;
    if (outliers->kind == ANALYSIS_OUTLIER_CHUNK && may_be_address(number))
        snprintf(text, bytes, "%" PRIu64 " iteration%s by a pointer", outliers->worst_parts,
                 outliers->worst_parts == 1 ? "" : "s");
    else if (outliers->kind == ANALYSIS_OUTLIER_CHUNK && outliers->worst_parts == 1)
        snprintf(text, bytes, "iteration %" PRId64, (int64_t)number);
    else if (outliers->kind == ANALYSIS_OUTLIER_CHUNK && outliers->worst_parts > 1)
        snprintf(text, bytes, "iterations %" PRId64 " to %" PRId64, (int64_t)number,
                 (int64_t)(number + outliers->worst_parts - 1));
    else
        snprintf(text, bytes, "%s %" PRIu64 " of %" PRIu64, omptape_outlier_key(outliers->kind), number,
                 outliers->times.count);
    return text;
}

/* Returns how often the outlier occurs: in each instance or a number of times for the same number; otherwise
 * how many there are. */
static const char *describe_often(const struct analysis_state *state,
                                  const struct analysis_outliers *outliers)
{
    const struct analysis_loop *loop = outliers->kind == ANALYSIS_OUTLIER_CHUNK
                                           ? omptape_analysis_of_region(&state->loops, outliers->region)
                                           : NULL;
    const char *text = "";
    const char *cost = omptape_time_text(state, (double)outliers->cost);
    if (outliers->count > 1 && !outliers->is_same)
        text = omptape_sentence(state, "; %s take 30 times the median and more, %s above it in all",
                                omptape_count_text(state, outliers->count), cost);
    else if (outliers->count > 1 && loop != NULL && loop->instances == outliers->count)
        text = omptape_sentence(state, ", in each of %s instances, %s in all",
                                omptape_count_text(state, outliers->count), cost);
    else if (outliers->count > 1)
        text = omptape_sentence(state, ", %s times, %s in all", omptape_count_text(state, outliers->count),
                                cost);
    return outliers->without_processor > 0
               ? omptape_sentence(state, "%s; %s more may have had no processor", text,
                                  omptape_count_text(state, outliers->without_processor))
               : text;
}

void omptape_describe_outlier(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_outliers *outliers = finding->outlier;
    if (outliers == NULL)
        return;
    const char *thread = omptape_findings_thread_name(state, outliers->worst.location);
    char which[TEXT_BYTES / 4];
    const char *waited = omptape_time_text(state, (double)finding->waited);
    const bool waits = finding->serial == NULL && finding->waited > 0;
    finding->text = omptape_sentence(
        state, "%s take%s %.0f times the median (%s, median about %s) on %s%s%s%s%s",
        omptape_outlier_which(outliers, which, sizeof(which)), outliers->worst_parts > 1 ? "" : "s",
        (double)outliers->worst.ticks / (double)outliers->median,
        omptape_time_text(state, (double)outliers->worst.ticks),
        omptape_time_text(state, (double)outliers->median), thread != NULL ? thread : "a thread",
        describe_often(state, outliers),
        waits                     ? "; the others wait "
        : finding->spent_wall > 0 ? "; the others have work meanwhile"
                                  : "",
        waits ? waited : "", waits ? " in all" : "");
    if (finding->spent_wall > 0)
        finding->proposal = "split what it does: with more threads the others wait for it";
    else if (outliers->kind == ANALYSIS_OUTLIER_CHUNK && outliers->is_same)
        finding->proposal = "split what it does, or begin it first";
    else if (outliers->kind == ANALYSIS_OUTLIER_TASK)
        finding->proposal = "split the longest tasks, or create them first";
}
