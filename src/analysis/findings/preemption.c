/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the cost of missing processors beyond the waiting for a thread that came late. Called by
 * findings.c after the causes of waiting were added.
 *
 * If all threads of a team lack a processor one after the other, they are late together: nobody waits at a
 * barrier. In a loop with dynamic chunks no thread is late at all. The loss is therefore the time without a
 * processor plus the waiting for threads without one.
 */
#include "src/analysis/findings/gathering.h"
#include "src/archive/read/regions.h"
#include "src/core/constructs.h"

#include <omptape/properties.h>
#include <string.h>

bool omptape_findings_are_measured(const struct analysis_state *state, uint32_t process)
{
    const double nearly_all = 0.9;
    const double switched = omptape_findings_number(state->result, process, OMPTAPE_KEY_SWITCHES);
    return switched > 0 && switched >= nearly_all * (double)state->result->processes[process].threads;
}

bool omptape_findings_all_measured(const struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->result->process_count; i++)
        if (!omptape_findings_are_measured(state, i))
            return false;
    return true;
}

double omptape_findings_on_processor(const struct omptape_analysis *result)
{
    double running = 0;
    double queued = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        running += (double)result->thread_list[i].running_ns;
        queued += (double)result->thread_list[i].queued_ns;
    }
    return queued > 0 ? running / (running + queued) : 1;
}

double omptape_findings_queued_for_others(const struct omptape_analysis *result)
{
    double others = 0;
    double all = 0;
    for (uint32_t i = 0; i < result->node_count; i++) {
        const struct analysis_node *node = &result->nodes[i];
        double queued = (double)node->queued_ns;
        double own =
            omptape_wait_for_each_other((double)node->running_ns, node->most.threads, node->processors);
        all += queued;
        others += node->processors > 0 && queued > own ? queued - own : 0;
    }
    double part = all > 0 ? others / all - result->perturbation.of_queue : 0;
    return part > 0 ? part : 0;
}

uint64_t omptape_findings_queued_at_work(const struct analysis_state *state,
                                         const struct analysis_thread *thread)
{
    uint64_t work = omptape_analysis_worked(thread->parts);
    uint64_t queued = omptape_whole((double)thread->queued_work_ns / state->ns_per_tick);
    return queued < work ? queued : work;
}

/* Returns the thread time without a processor at work in parallel regions, and before late work, for
 * processes with several threads. */
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
            lost += (double)result->processes[i].late_queued - (double)result->processes[i].serial_queued;
    return lost > 0 ? lost : 0;
}

/* Returns the construct that users know: the loop of a chunk. */
static struct analysis_region *whole_of(const struct analysis_state *state, struct analysis_region *region)
{
    const bool known = region->kind < OMPTAPE_REGION_KIND_COUNT;
    const enum omptape_region_kind kind = known ? omptape_constructs[region->kind].whole : region->kind;
    const char *site = region->definition->region->site;
    for (uint32_t i = 0; i < state->regions.count && kind != OMPTAPE_REGION_PARALLEL && site != NULL; i++) {
        struct analysis_region *other = state->regions.list[i].value;
        const char *other_site = other->definition->region->site;
        if (other->kind == kind && other->line == region->line && strcmp(other->file, region->file) == 0 &&
            other_site != NULL && strcmp(other_site, site) == 0)
            return other;
    }
    return region;
}

/* Returns the region's time at work without a processor if that is measured; otherwise all time in which its
 * threads wanted one. */
static double wanted(const struct analysis_region *region, bool measured)
{
    const uint64_t computing = region->parts[OMPTAPE_BUCKET_COMPUTING];
    const bool is_serial = region->parts[OMPTAPE_BUCKET_SERIAL] > computing;
    return (measured ? 0 : (double)computing) +
           (is_serial ? 0 : (double)region->parts[OMPTAPE_BUCKET_RUNNABLE]);
}

/* Distributes the time without a processor over the findings by what others waited. */
static void share_by_waiting(struct analysis_findings *findings, double rest, double waited)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding->kind != OMPTAPE_FINDING_PREEMPTION)
            continue;
        omptape_findings_add_gain(finding, omptape_whole(rest * (double)finding->waited / waited));
    }
}

/* Distributes the time without a processor over the regions. */
static void share_out(struct analysis_findings *findings, double rest, double waited)
{
    const struct analysis_state *state = findings->state;
    const bool measured = omptape_findings_all_measured(state);
    const double least = 0.01;
    double all = 0;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        all += wanted(region, measured);
    }
    if (all <= 0 && waited > 0)
        share_by_waiting(findings, rest, waited);
    for (uint32_t i = 0; i < state->regions.count && all > 0; i++) {
        struct analysis_region *region = state->regions.list[i].value;
        const double part = wanted(region, measured) / all;
        struct analysis_region *whole = part >= least ? whole_of(state, region) : NULL;
        if (whole == NULL)
            continue;
        struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_PREEMPTION, whole);
        omptape_findings_add_gain(finding, omptape_whole(part * rest));
        if (finding->count > 0)
            continue;
        finding->count = whole->visits.count;
        omptape_findings_set_worst(finding, &whole->visits);
    }
}

/* Sums up the findings of this kind so far: gains, and thread time of waiting. */
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
    const double threads = omptape_analysis_mean_threads(result);
    double gain;
    double waited;
    if (threads <= 1 || findings->fewest_processors > 0)
        return;
    sum_up(findings, &gain, &waited);
    /* A thread delays others at most by the time in which it had no processor itself. */
    double lost = omptape_findings_queued_for_others(result) * lost_at_work(findings->state);
    double all = (lost + waited) / threads < lost ? (lost + waited) / threads : lost;
    if (all > gain)
        share_out(findings, all - gain, waited);
}
