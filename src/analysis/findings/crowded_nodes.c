/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes what it costs that the processes of a node have more threads than processors, although none has
 * too many alone. Those that wait in MPI or at a barrier usually spin, and so take the processor from the one
 * that they wait for. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/buckets.h"

#include <string.h>

/* Least run-queue time, as a share of the threads' time awake. */
static const double MIN_QUEUED_SHARE = 0.2;

/* Sums over the processes of a node. Times in ticks. */
struct crowd {
    uint32_t processors;
    uint64_t usable; /* processors if the binding were mended */
    uint64_t threads;
    double work;    /* on a processor, or asleep */
    double longest; /* work of the process that needs most, if its threads share it evenly */
};

static double work_of(const struct analysis_process *process)
{
    return (double)process->parts[OMPTAPE_BUCKET_COMPUTING] + (double)process->parts[OMPTAPE_BUCKET_SERIAL] +
           (double)process->parts[OMPTAPE_BUCKET_BLOCKED];
}

double omptape_findings_work(const struct analysis_process *process)
{
    const double serial = (double)process->parts[OMPTAPE_BUCKET_SERIAL];
    const uint32_t threads = process->most_threads > 0 ? process->most_threads : 1;
    return serial + (work_of(process) - serial) / (double)threads;
}

static struct crowd sum_crowd(const struct analysis_state *state, const struct analysis_node *node)
{
    const struct omptape_analysis *result = state->result;
    struct crowd crowd = {.processors = omptape_findings_allowed(state, node->name),
                          .threads = node->most.members};
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        if (strcmp(process->node, node->name) != 0)
            continue;
        const double alone = omptape_findings_work(process);
        crowd.work += work_of(process);
        crowd.longest = alone > crowd.longest ? alone : crowd.longest;
    }
    crowd.usable = omptape_greater(omptape_findings_beyond(state), crowd.processors);
    crowd.usable = crowd.threads < crowd.usable ? crowd.threads : crowd.usable;
    return crowd;
}

const struct analysis_process *omptape_findings_most_work(const struct analysis_state *state, double *mean)
{
    const double much = 1.25;
    const struct omptape_analysis *result = state->result;
    const struct analysis_process *most = &result->processes[0];
    uint32_t less = 0;
    *mean = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        *mean += omptape_findings_work(&result->processes[i]) / result->process_count;
        most = omptape_findings_work(&result->processes[i]) > omptape_findings_work(most)
                   ? &result->processes[i]
                   : most;
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        less += much * omptape_findings_work(&result->processes[i]) <= omptape_findings_work(most);
    const bool is_little =
        omptape_findings_work(most) * 20 < (double)omptape_minus(result->end, result->begin);
    return 2 * less >= result->process_count && !is_little ? most : NULL;
}

/* Returns the wall time of processes in MPI_Init and MPI_Finalize, which is no waiting. */
static double begin_and_end(const struct analysis_state *state)
{
    double sum = 0;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        if (omptape_mpi_end_of(region) < OMPTAPE_MPI_ENDS)
            sum += (double)region->parts[OMPTAPE_BUCKET_MPI];
    }
    return sum / state->result->at_once;
}

/* Returns the part of the node's time in run queues that its own threads explain, 0 to 1. */
static double own_part(const struct analysis_node *node, const struct crowd *crowd)
{
    const double own =
        omptape_wait_for_each_other((double)node->running_ns, crowd->threads, crowd->processors);
    const double queued = (double)node->queued_ns;
    return queued > own ? own / queued : 1;
}

static bool has_queues(const struct analysis_node *node)
{
    const double queued = (double)node->queued_ns;
    return node->most.processes > 1 && queued >= MIN_QUEUED_SHARE * (queued + (double)node->running_ns);
}

/* Returns the call of MPI in which the processes wait most, or the longest parallel region if threads wait
 * longer for each other. */
static const struct analysis_region *most_waiting(const struct analysis_state *state)
{
    const struct analysis_region *most = NULL;
    uint64_t in_mpi = 0;
    uint64_t at_barriers = 0;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        omptape_add(&at_barriers, region->parts[OMPTAPE_BUCKET_BARRIER]);
        if (omptape_mpi_end_of(region) < OMPTAPE_MPI_ENDS)
            continue;
        omptape_add(&in_mpi, region->parts[OMPTAPE_BUCKET_MPI]);
        if (region->parts[OMPTAPE_BUCKET_MPI] > (most != NULL ? most->parts[OMPTAPE_BUCKET_MPI] : 0))
            most = region;
    }
    uint64_t longest = 0;
    for (uint32_t i = 0; i < state->parallels.count && at_barriers > in_mpi; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        most = parallel->wall > longest ? parallel->region : most;
        longest = parallel->wall > longest ? parallel->wall : longest;
    }
    return most;
}

/* Returns true if the finding is a consequence: the awaited process had no processor, or waited itself. */
static bool is_consequence(const struct analysis_state *state, const struct omptape_finding *finding)
{
    return finding->kind == OMPTAPE_FINDING_PREEMPTION ||
           (omptape_finding_waits_in_mpi(finding->kind) && omptape_findings_awaits_waiting(state, finding));
}

/* Returns what processes and threads wait for others that work. More processors would not change that. */
static double waited_for_work(const struct analysis_findings *findings)
{
    double sum = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        const bool in_mpi =
            omptape_finding_waits_in_mpi(finding->kind) && !is_consequence(findings->state, finding);
        if (in_mpi || omptape_findings_is_waiting_inside(finding))
            sum += (double)finding->gain;
    }
    return sum;
}

/* `part` is the share of the time in run queues that the processes' own threads explain. */
static void take_off_consequences(struct analysis_findings *findings, double part)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_consequence(findings->state, &findings->list[i]))
            findings->list[i].gain = omptape_whole((1 - part) * (double)findings->list[i].gain);
}

void omptape_findings_add_crowded(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    const double outside = begin_and_end(state);
    double won = 0;
    double took = 0;
    double queued = 0;
    double own = 0;
    for (uint32_t i = 0; i < result->node_count && findings->fewest_processors == 0; i++) {
        const struct analysis_node *node = &result->nodes[i];
        if (!has_queues(node))
            continue;
        const struct crowd crowd = sum_crowd(state, node);
        if (crowd.processors == 0 || crowd.threads <= crowd.processors)
            continue;
        const double all = (double)omptape_minus(node->end, node->begin) - outside;
        const double shared = crowd.work / (double)crowd.usable;
        const double needed = shared > crowd.longest ? shared : crowd.longest;
        if (all <= needed)
            continue;
        const double part = own_part(node, &crowd);
        /* While no thread is in a run queue, more processors change nothing. */
        const double in_queues = (double)node->queued_ns / state->ns_per_tick;
        const double lost = all - needed < in_queues ? all - needed : in_queues;
        won += part * lost * node->most.processes;
        took += all * node->most.processes;
        own += part * node->processes / result->process_count;
        queued += part * in_queues;
    }
    won -= waited_for_work(findings);
    const struct analysis_region *where = won > 0 ? most_waiting(state) : NULL;
    if (where == NULL)
        return;
    struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_OVERSUBSCRIPTION, where);
    omptape_findings_set_cost(finding, omptape_whole(took), omptape_whole(won));
    finding->waited = omptape_whole(queued);
    finding->count = where->visits.count;
    omptape_findings_set_worst(finding, &where->visits);
    finding->is_crowded = true;
    take_off_consequences(findings, own);
}
