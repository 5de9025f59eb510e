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

/* Of what threads waited for a processor, the part that was neither for each other nor for the writer. */
static double part_of_others(const struct omptape_analysis *result)
{
    double others = 0;
    double queued = 0;
    for (uint32_t i = 0; i < result->node_count; i++) {
        const struct analysis_node *node = &result->nodes[i];
        double own = omptape_wait_for_each_other((double)node->running_ns, node->threads, node->processors);
        queued += (double)node->queued_ns;
        others += node->processors > 0 && (double)node->queued_ns > own ? (double)node->queued_ns - own : 0;
    }
    double part = queued > 0 ? others / queued - result->perturbation.of_queue : 0;
    return part > 0 ? part : 0;
}

/* Wall time of all processes: what their threads had no processor for at work in parallel regions. */
static double lost_at_work(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double lost = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        const struct analysis_process *process = &result->processes[thread->process];
        if (process->most_threads > 1)
            lost += (double)thread->queued_work_ns / state->ns_per_tick / process->most_threads;
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].most_threads > 1)
            lost -= (double)result->processes[i].serial_queued / result->processes[i].most_threads;
    return lost;
}

/* Where threads computed most: there they lacked it most. NULL: nowhere. */
static struct analysis_region *find_longest(const struct analysis_state *state)
{
    struct analysis_region *longest = NULL;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        struct analysis_region *region = state->regions.list[i].value;
        uint64_t computing = region->parts[OMPTAPE_BUCKET_COMPUTING];
        uint64_t most = longest != NULL ? longest->parts[OMPTAPE_BUCKET_COMPUTING] : 0;
        if (computing > most)
            longest = region;
    }
    return longest;
}

/* What is told of it so far: what is to be won, and the waiting as wall. */
static void sum_up(const struct analysis_findings *findings, double threads, double *gain, double *waited)
{
    *gain = 0;
    *waited = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        if (finding->kind != OMPTAPE_FINDING_PREEMPTION)
            continue;
        *gain += (double)finding->gain;
        *waited += (double)finding->waited / threads;
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
    sum_up(findings, threads, &gain, &waited);
    double all = part_of_others(result) * lost_at_work(findings->state) + waited;
    if (all <= gain)
        return;
    if (gain > 0) {
        for (uint32_t i = 0; i < findings->count; i++)
            if (findings->list[i].kind == OMPTAPE_FINDING_PREEMPTION)
                findings->list[i].gain = omptape_whole((double)findings->list[i].gain * all / gain);
        return;
    }
    struct analysis_region *longest = find_longest(findings->state);
    struct omptape_finding *finding =
        longest != NULL ? omptape_findings_at(findings, OMPTAPE_FINDING_PREEMPTION, longest) : NULL;
    if (finding == NULL)
        return;
    finding->gain = omptape_whole(all);
    finding->count = longest->visits.count;
    finding->worst_begin = longest->visits.longest_begin;
    finding->worst_end = finding->worst_begin + longest->visits.longest;
    finding->worst_location = longest->visits.longest_location;
}
