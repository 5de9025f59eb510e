/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the findings of all kinds, ranks them by their possible gain and keeps those that are worth a
 * sentence. Called once, at the end of the analysis. The sentences are in sentences.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/locks.h"
#include "src/analysis/tasks.h"
#include "src/core/sort.h"

#include <stdlib.h>

/* Subtracts the outer team's gain from the inner region's finding: the same waiting counts once. */
static void take_off_nested(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *nested = &findings->list[i];
        if (nested->kind != OMPTAPE_FINDING_NESTED_WAIT)
            continue;
        for (uint32_t j = 0; j < findings->count; j++) {
            struct omptape_finding *inner = &findings->list[j];
            if (inner->kind == OMPTAPE_FINDING_IMBALANCE && inner->region == nested->region)
                inner->gain = omptape_minus(inner->gain, nested->gain);
        }
    }
}

/* Returns the rank of a finding: its gain or, if that is unknown, the time spent there. */
static uint64_t weight_of(const struct omptape_finding *finding)
{
    return finding->gain > 0 ? finding->gain : finding->spent_wall;
}

static int compare(const void *left, const void *right)
{
    const struct omptape_finding *one = left;
    const struct omptape_finding *other = right;
    uint64_t id = one->region != NULL ? one->region->definition->id : 0;
    uint64_t other_id = other->region != NULL ? other->region->definition->id : 0;
    if ((one->kind == OMPTAPE_FINDING_HANG) != (other->kind == OMPTAPE_FINDING_HANG))
        return one->kind == OMPTAPE_FINDING_HANG ? -1 : 1;
    if (one->kind == OMPTAPE_FINDING_HANG && one->waited != other->waited)
        return one->waited > other->waited ? -1 : 1;
    if (one->is_slight != other->is_slight)
        return one->is_slight ? 1 : -1;
    if (weight_of(one) != weight_of(other))
        return weight_of(one) > weight_of(other) ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind > other->kind ? 1 : -1;
    return (id > other_id) - (id < other_id);
}

/* Sorts findings about missing processors last, as other programs cause them and the gain is estimated. */
static int compare_listed(const void *left, const void *right)
{
    const struct omptape_finding *one = *(struct omptape_finding *const *)left;
    const struct omptape_finding *other = *(struct omptape_finding *const *)right;
    bool lacks = one->kind == OMPTAPE_FINDING_PREEMPTION;
    return lacks != (other->kind == OMPTAPE_FINDING_PREEMPTION) ? (lacks ? 1 : -1) : compare(one, other);
}

static bool is_explained(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    if (finding->kind == OMPTAPE_FINDING_PREEMPTION && findings->rivals.kind == ANALYSIS_RIVAL_QUOTA)
        return true;
    return findings->fewest_processors > 0 && finding->kind != OMPTAPE_FINDING_TINY_REGIONS &&
           omptape_findings_is_of_oversubscription(finding->kind);
}

/* Converts a sum over processes to the wall time. */
static uint64_t of_one(const struct omptape_analysis *result, uint64_t ticks)
{
    return ticks / result->at_once;
}

static void add_to_region(const struct analysis_state *state, const struct analysis_region *shown,
                          uint64_t gain)
{
    struct analysis_region *region = omptape_analysis_of_region(&state->regions, shown);
    if (region != NULL)
        omptape_add(&region->gain, gain);
}

/* Adds a finding's gain to its region, or to all regions that were joined to it. `part` (0 to 1) is the share
 * of the gain that remains. */
static void add_gain_to_regions(const struct analysis_findings *findings,
                                const struct omptape_finding *finding, double part)
{
    struct analysis_state *state = findings->state;
    const struct omptape_finding *end = &findings->list[findings->count];
    if (finding->region == NULL || finding->serial != NULL)
        return;
    const struct analysis_parallel *parallel = omptape_analysis_of_region(&state->parallels, finding->region);
    if (finding->kind == OMPTAPE_FINDING_TINY_REGIONS && parallel != NULL && parallel->tiny_with != NULL) {
        omptape_findings_keep_tiny(findings, finding, part);
        return;
    }
    add_to_region(state, finding->region, omptape_minus(finding->gain, finding->gain_of_others));
    for (const struct omptape_finding *behind = finding + 1; finding->gain_of_others > 0 && behind < end;
         behind++)
        if (omptape_findings_is_joined(behind) && omptape_findings_is_same(state, finding, behind))
            add_to_region(state, behind->region,
                          omptape_whole(part * (double)of_one(state->result, behind->gain)));
}

/* True if no thread causes more than a quarter of the loop's lateness: another one is last each time. */
static bool changes_its_last(const struct analysis_loop *loop)
{
    enum { MIN_INSTANCES = 20, PART_OF_ONE = 4 };
    uint64_t all = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; loop != NULL && i < loop->threads; i++) {
        omptape_add(&all, loop->thread_list[i].late);
        most = loop->thread_list[i].late > most ? loop->thread_list[i].late : most;
    }
    return loop != NULL && loop->instances >= MIN_INSTANCES && most < all / PART_OF_ONE;
}

/* Returns the factor by which the last of many threads is later than the last of four, if times differ at
 * random. It grows with the logarithm of the number of threads. */
static double lateness_of_last(const struct analysis_loop *loop)
{
    const unsigned few = 2;
    const unsigned log = loop != NULL ? 31U - (unsigned)__builtin_clz(loop->threads | 1) : 0;
    return log > few ? 0.8 + 0.15 * log : 1;
}

static bool is_noise_of(const struct analysis_findings *findings, const struct omptape_finding *finding,
                        double part)
{
    const double time = (double)finding->region->inclusive / (double)findings->state->result->threads;
    return (double)finding->gain < part * time;
}

/* The same for all tasks of the parallel region, if these have dependences. */
static bool is_noise_of_graph(const struct analysis_findings *findings, const struct omptape_finding *finding,
                              double part)
{
    const struct analysis_graph graph = omptape_findings_graph(findings->state, finding);
    return (double)finding->gain * graph.threads < part * (double)graph.work;
}

/* Returns true if the finding is within the usual variation. Threads with equal work differ by memory,
 * frequency and interruptions. The last of many tasks, and processes in a collective operation, also end at
 * different times. */
static bool is_noise(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    enum { NOISE_PART = 20 };
    const double part = 1.0 / (double)NOISE_PART;
    const struct omptape_analysis *result = findings->state->result;
    const struct analysis_loop *loop = omptape_analysis_of_region(&findings->state->loops, finding->region);
    switch (finding->kind) {
    case OMPTAPE_FINDING_IMBALANCE:
        return finding->region != NULL &&
               (is_noise_of(findings, finding, part) ||
                (changes_its_last(loop) && is_noise_of(findings, finding, part * lateness_of_last(loop))));
    case OMPTAPE_FINDING_TASK_CHAIN:
        return finding->region != NULL &&
               (is_noise_of(findings, finding, part) || is_noise_of_graph(findings, finding, part));
    case OMPTAPE_FINDING_COLLECTIVE_WAIT:
        return omptape_times(finding->gain, NOISE_PART) < omptape_minus(result->end, result->begin) &&
               !omptape_findings_is_for_one(findings->state, finding);
    default:
        return false;
    }
}

bool omptape_findings_is_little(const struct omptape_analysis *result, uint64_t gain)
{
    enum { INVERSE_MIN_GAIN = 100 };
    return gain < omptape_finding_wall(result) / INVERSE_MIN_GAIN;
}

/* is_ranked: the finding has a gain of its own. is_reported: it is also large enough to be reported. */
static bool is_ranked(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    return !omptape_findings_is_joined(finding) && !is_explained(findings, finding);
}

static bool is_reported(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    const struct omptape_analysis *result = findings->state->result;
    enum { INVERSE_MIN_TIME = 20 };
    if (finding->kind == OMPTAPE_FINDING_HANG)
        return true;
    if (finding->spent_wall > 0)
        return finding->spent_wall >= omptape_finding_wall(result) / INVERSE_MIN_TIME;
    return is_ranked(findings, finding) && finding->gain > 0 && !is_noise(findings, finding) &&
           !omptape_findings_is_little(result, finding->gain);
}

/* Limits the sum of all gains to the wall time. Findings are processed from the largest gain downwards; each
 * gets at most what the previous ones left. */
static void limit_to_wall(struct analysis_findings *findings)
{
    const struct omptape_analysis *result = findings->state->result;
    uint64_t wall = omptape_minus(result->end, result->begin);
    struct omptape_finding **list =
        omptape_calloc((size_t)findings->count + 1, sizeof(struct omptape_finding *));
    uint32_t count = 0;
    if (list == NULL)
        return;
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_ranked(findings, &findings->list[i]))
            list[count++] = &findings->list[i];
    omptape_sort(list, count, sizeof(struct omptape_finding *), compare_listed);
    for (uint32_t i = 0; i < count; i++) {
        struct omptape_finding *finding = list[i];
        const uint64_t gain = of_one(result, finding->gain);
        const uint64_t left = gain < wall ? gain : wall;
        finding->gain_of_others = omptape_analysis_part(of_one(result, finding->gain_of_others), left, gain);
        finding->gain = left;
        wall -= left;
        if (is_reported(findings, finding))
            add_gain_to_regions(findings, finding, gain > 0 ? (double)left / (double)gain : 0);
    }
    free(list);
}

/* A lock held for a shorter time changes owner more often under tracing, because threads also record events.
 */
static const double short_hold_ns = 1000;

static bool is_held_for_short(const struct analysis_state *state, const struct analysis_region *region)
{
    const struct analysis_lock_site *site = omptape_analysis_of_region(&state->lock_sites, region);
    return site != NULL && site->result.hold.count > 0 &&
           (double)site->result.hold.sum * state->ns_per_tick <
               short_hold_ns * (double)site->result.hold.count;
}

/* Returns how certain the gain is. Called after all gains are known. */
static enum omptape_certainty certainty_of(const struct analysis_state *state,
                                           const struct omptape_finding *finding)
{
    switch (finding->kind) {
    case OMPTAPE_FINDING_SERIAL:
    case OMPTAPE_FINDING_TASK_CHAIN:
    case OMPTAPE_FINDING_FEW_THREADS:
    case OMPTAPE_FINDING_SMALL_MESSAGES:
    case OMPTAPE_FINDING_REPEATED_CREATION:
        return OMPTAPE_AT_MOST;
    case OMPTAPE_FINDING_LOCK:
        return is_held_for_short(state, finding->region) ? OMPTAPE_AT_MOST : OMPTAPE_MEASURED;
    case OMPTAPE_FINDING_PAGE_FAULTS:
        return finding->serial != NULL && !omptape_findings_gives_back(state) ? OMPTAPE_AT_MOST
                                                                              : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_SYSTEM_TIME:
        return OMPTAPE_AT_LEAST;
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
        if (finding->is_crowded && omptape_findings_beyond(state) > 0)
            return OMPTAPE_AT_MOST;
        /* fall through */
    case OMPTAPE_FINDING_PREEMPTION:
    case OMPTAPE_FINDING_BLOCKED:
        return omptape_findings_all_measured(state) ? OMPTAPE_MEASURED : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_FINE_CHUNKS:
        return omptape_chunks_are_measured(state) ? OMPTAPE_MEASURED : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_TINY_REGIONS:
    case OMPTAPE_FINDING_NEEDLESS_BARRIER:
    case OMPTAPE_FINDING_QUOTA:
    case OMPTAPE_FINDING_SPIN:
        return OMPTAPE_ESTIMATED;
    default:
        return OMPTAPE_MEASURED;
    }
}

const char *omptape_finding_certainty(const struct omptape_finding *finding)
{
    static const char *const words[] = {"measured", "estimated", "at most", "at least"};
    return words[finding->certainty];
}

const char *omptape_finding_before_gain(const struct omptape_finding *finding)
{
    static const char *const words[] = {"", "about ", "at most ", "at least "};
    return words[finding->certainty];
}

void omptape_analysis_findings(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    struct analysis_findings findings = {.state = state, .rivals = omptape_findings_rivals(state)};
    uint32_t kept = 0;
    omptape_findings_add_oversubscription(&findings);
    omptape_findings_add_tiny(&findings);
    omptape_findings_add_chunks(&findings);
    omptape_findings_add_few(&findings);
    omptape_findings_add_waiting(&findings);
    omptape_findings_add_preemption(&findings);
    omptape_findings_add_crowded(&findings);
    omptape_findings_add_system(&findings);
    omptape_findings_add_serials(&findings);
    omptape_findings_add_blocked_serials(&findings);
    omptape_findings_add_quota(&findings);
    omptape_findings_add_functions(&findings);
    omptape_findings_add_counted(&findings);
    omptape_findings_add_transfers(&findings);
    omptape_findings_add_small_messages(&findings);
    omptape_findings_add_creations(&findings);
    omptape_findings_add_calls(&findings);
    take_off_nested(&findings);
    omptape_findings_weigh_oversubscription(&findings);
    omptape_findings_join(&findings);
    omptape_findings_attribute_outliers(&findings);
    omptape_findings_attribute_steps(&findings);
    limit_to_wall(&findings);
    omptape_findings_set_outlier_kind(&findings);
    omptape_findings_add_hangs(&findings);
    for (uint32_t i = 0; i < findings.count; i++) {
        struct omptape_finding *finding = &findings.list[i];
        if (!is_reported(&findings, finding))
            continue;
        omptape_findings_place(state, finding);
        finding->is_slight = omptape_findings_is_slight(state, finding);
        finding->certainty = certainty_of(state, finding);
        findings.list[kept++] = *finding;
    }
    omptape_sort(findings.list, kept, sizeof(*findings.list), compare);
    result->findings = findings.list;
    result->finding_count = kept;
    for (uint32_t i = 0; i < kept; i++)
        omptape_finding_describe(state, &findings.list[i]);
    omptape_findings_verdict(state);
}
