/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What it costs that others had the processors, beside the waiting for the thread that came late. Called by
 * findings.c when the causes of waiting are added.
 *
 * All threads of a team that lack a processor in turn come late together: nobody waits for that at a barrier,
 * and in a loop whose chunks are handed out nobody comes late at all. In sum the threads lost what they had
 * no processor for, and what they waited for those that had none.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/regions.h"

#include <string.h>

double omptape_findings_queued_for_others(const struct omptape_analysis *result)
{
    double others = 0;
    double all = 0;
    for (uint32_t i = 0; i < result->node_count; i++) {
        const struct analysis_node *node = &result->nodes[i];
        double queued = (double)node->queued_ns;
        double own = omptape_wait_for_each_other((double)node->running_ns, node->threads, node->processors);
        all += queued;
        others += node->processors > 0 && queued > own ? queued - own : 0;
    }
    double part = all > 0 ? others / all - result->perturbation.of_queue : 0;
    return part > 0 ? part : 0;
}

uint64_t omptape_findings_queued_at_work(const struct analysis_state *state,
                                         const struct analysis_thread *thread)
{
    uint64_t work = thread->parts[OMPTAPE_BUCKET_COMPUTING] + thread->parts[OMPTAPE_BUCKET_SERIAL];
    uint64_t queued = omptape_whole((double)thread->queued_work_ns / state->ns_per_tick);
    return queued < work ? queued : work;
}

/* Thread time in parallel regions, of teams with more than one, in which threads had no processor at work. */
static double lost_at_work(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double lost = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        if (result->processes[thread->process].most_threads > 1)
            lost += (double)omptape_findings_queued_at_work(state, thread);
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].most_threads > 1)
            lost -= (double)result->processes[i].serial_queued;
    return lost > 0 ? lost : 0;
}

static bool is_construct(const struct analysis_region *region)
{
    return omptape_region_facts(region->kind).is_blamed;
}

static bool is_at(const struct analysis_region *region, const struct analysis_region *place)
{
    return region->line == place->line && strcmp(region->file, place->file) == 0;
}

/* Where threads computed most: there they lacked it most. `place`: of the constructs at this place; NULL: of
 * all regions. */
static struct analysis_region *find_longest(const struct analysis_state *state,
                                            const struct analysis_region *place)
{
    struct analysis_region *longest = NULL;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        struct analysis_region *region = state->regions.list[i].value;
        uint64_t computing = region->parts[OMPTAPE_BUCKET_COMPUTING];
        uint64_t most = longest != NULL ? longest->parts[OMPTAPE_BUCKET_COMPUTING] : 0;
        if (computing > most && (place == NULL || (is_construct(region) && is_at(region, place))))
            longest = region;
    }
    return longest;
}

/* A chunk's is its loop's. */
static struct analysis_region *find_place(const struct analysis_state *state)
{
    struct analysis_region *longest = find_longest(state, NULL);
    struct analysis_region *construct =
        longest != NULL && !is_construct(longest) ? find_longest(state, longest) : NULL;
    return construct != NULL ? construct : longest;
}

/* What is told of it so far: what is to be won, and the thread time that was waited. */
static void sum_up(const struct analysis_findings *findings, double *gain, double *waited)
{
    *gain = 0;
    *waited = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        if (finding->kind != OMPTAPE_FINDING_PREEMPTION)
            continue;
        *gain += (double)finding->gain;
        *waited += (double)finding->waited;
    }
}

void omptape_findings_add_preemption(struct analysis_findings *findings)
{
    const struct omptape_analysis *result = findings->state->result;
    double threads = result->process_count > 0 ? (double)result->threads / result->process_count : 0;
    double gain;
    double waited;
    if (threads < 2 || findings->processors > 0)
        return;
    sum_up(findings, &gain, &waited);
    /* Nobody held the others up for longer than it had no processor itself. */
    double lost = omptape_findings_queued_for_others(result) * lost_at_work(findings->state);
    double all = (lost + waited) / threads < lost ? (lost + waited) / threads : lost;
    struct analysis_region *longest = all > gain ? find_place(findings->state) : NULL;
    struct omptape_finding *finding =
        longest != NULL ? omptape_findings_at(findings, OMPTAPE_FINDING_PREEMPTION, longest) : NULL;
    if (finding == NULL)
        return;
    omptape_add(&finding->gain, omptape_whole(all - gain));
    if (finding->count > 0)
        return;
    finding->count = longest->visits.count;
    omptape_findings_set_worst(finding, &longest->visits);
}
