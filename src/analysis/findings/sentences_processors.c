/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about processors: too many threads, threads without a processor, limits of processor
 * time, and threads that begin late. Called by sentences.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/buckets.h"

#include <inttypes.h>

/* Proposes threads for the outer regions alone, or fewer for the regions within them. */
static const char *fewer_nested(const struct analysis_state *state, const struct analysis_process *process,
                                const struct analysis_parallel *parallel)
{
    const uint64_t inner = process->processors / parallel->outer;
    const char *less =
        parallel->outer > process->processors
            ? omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64 " (or their num_threads()) and ",
                               process->processors)
            : "";
    return inner > 1
               ? omptape_sentence(state, "OMP_NUM_THREADS=%u,%" PRIu64 ", or num_threads() of these regions",
                                  parallel->outer, inner)
               : omptape_sentence(state,
                                  "%sOMP_MAX_ACTIVE_LEVELS=1: the outer regions have %u threads for %" PRIu64
                                  " processors",
                                  less, parallel->outer, process->processors);
}

/* Proposes as many threads as processors. If only several regions at once have more, proposes fewer of the
 * program's own threads as well. */
static const char *fewer_threads(struct analysis_state *state, const struct analysis_process *process)
{
    uint64_t most = 1;
    const struct analysis_parallel *largest = NULL;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const uint64_t threads = (uint64_t)parallel->threads * parallel->outer;
        largest = threads > most ? parallel : largest;
        most = threads > most ? threads : most;
    }
    if (largest != NULL && largest->outer > 1 && largest->threads > 1 && most > process->processors)
        return fewer_nested(state, process, largest);
    if (most > process->processors || !omptape_analysis_has_several(process))
        return omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64, process->processors);
    const uint64_t each = process->processors * most / process->most_threads;
    return omptape_sentence(
        state, "fewer of the program's own threads in regions at once, or OMP_NUM_THREADS=%" PRIu64,
        each > 0 ? each : 1);
}

static uint32_t processors_of_nodes(const struct analysis_state *state)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < state->result->node_count; i++)
        omptape_add_narrow(&sum, omptape_findings_allowed(state, state->result->nodes[i].name));
    return sum;
}

const char *omptape_fewer_ranks(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    uint32_t each = UINT32_MAX;
    for (uint32_t i = 0; i < result->node_count; i++) {
        const struct analysis_node *node = &result->nodes[i];
        const uint32_t here = omptape_findings_allowed(state, node->name) / node->most.processes;
        each = here < each ? here : each;
    }
    if (each > 0)
        return omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu32, each);
    return omptape_sentence(state,
                            "%sno more ranks than processors, or have those that wait give theirs up (Open "
                            "MPI: --mca mpi_yield_when_idle 1)",
                            result->threads > result->at_once ? "OMP_NUM_THREADS=1, " : "");
}

/* Adds what would be lost with a processor for each thread, too, if one process has more work than others
 * that wait in MPI. */
static void describe_most_work(struct analysis_state *state, struct omptape_finding *finding)
{
    double mean;
    const struct analysis_process *most = omptape_findings_most_work(state, &mean);
    if (most == NULL || mean <= 0 || finding->region->parts[OMPTAPE_BUCKET_MPI] == 0)
        return;
    const double work = omptape_findings_work(most);
    finding->text = omptape_sentence(
        state,
        "%s. With a processor for each, the others would wait for %s: it works for %s, %.1f times the mean",
        finding->text, most->name, omptape_time_text(state, work), work / mean);
    finding->proposal =
        omptape_sentence(state, "%s; and even out the work of the processes", finding->proposal);
}

/* Describes processes that have too many threads only together. The finding has the mean of their gains. */
static void describe_crowded(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    const double took = (double)finding->cost_wall / result->at_once;
    const uint32_t processors = processors_of_nodes(state);
    const uint64_t beyond = omptape_findings_beyond(state);
    const char *where = "";
    if (beyond > 0)
        where = omptape_sentence(state, " of the machine's %" PRIu64, beyond);
    else if (result->node_count > 1)
        where = omptape_sentence(state, " of %" PRIu32 " nodes", result->node_count);
    finding->text = omptape_sentence(
        state,
        "%" PRIu32 " processes with %" PRIu32 " threads share %" PRIu32
        " processor%s%s and wait %s in all for one: what takes %s could take %s%s",
        result->at_once, result->threads, processors, processors > 1 ? "s" : "", where,
        omptape_time_text(state, (double)finding->waited), omptape_time_text(state, took),
        omptape_time_text(state, took - (double)finding->gain), beyond > 0 ? " if the others are free" : "");
    finding->proposal = omptape_fewer_ranks(state);
    if (beyond > 0)
        finding->proposal = omptape_sentence(
            state, "let them use more: --cpus-per-task (Slurm), --bind-to, --map-by (mpirun), taskset; or %s",
            finding->proposal);
    describe_most_work(state, finding);
}

/* With several processes, the sentence describes the first one: they run the same program. */
void omptape_describe_oversubscription(struct analysis_state *state, struct omptape_finding *finding)
{
    const double processes = state->result->at_once;
    const struct analysis_process *process = &state->result->processes[0];
    const char *time = omptape_time_text(state, (double)finding->waited);
    const char *took = omptape_time_text(state, (double)finding->cost_wall / processes);
    const char *need =
        omptape_time_text(state, (double)finding->cost_wall / processes - (double)finding->gain);
    const char *how = omptape_findings_are_measured(state, 0) ? "" : " (estimated)";
    if (finding->is_crowded) {
        describe_crowded(state, finding);
        return;
    }
    if (process->team_processors == 0 || process->team_processors >= process->processors) {
        finding->text = omptape_sentence(state,
                                         "%u threads on %" PRIu64
                                         " processor%s wait %s in all for one: what takes %s could take %s%s",
                                         process->most_threads, process->processors,
                                         process->processors == 1 ? "" : "s", time, took, need, how);
        finding->proposal = fewer_threads(state, process);
        const uint64_t beyond = omptape_findings_beyond(state);
        if (beyond > 0)
            finding->proposal = omptape_sentence(state,
                                                 "%s; or more of the machine's %" PRIu64
                                                 " processors: taskset, --cpus-per-task, --bind-to",
                                                 finding->proposal, beyond);
        return;
    }
    finding->text = omptape_sentence(state,
                                     "%u threads are bound to %" PRIu64 " of %" PRIu64
                                     " processors and wait %s in all for %s: what takes %s could take %s%s",
                                     process->most_threads, process->team_processors, process->processors,
                                     time, process->team_processors == 1 ? "it" : "one", took, need, how);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    if (rivals.kind == ANALYSIS_RIVAL_AFFINITY) {
        finding->proposal =
            omptape_sentence(state, "find who binds them while they run (sched_setaffinity, taskset -p): %s",
                             omptape_rivals_proposal(state, &rivals));
        return;
    }
    finding->proposal = process->most_threads > process->processors
                            ? omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64 ", each bound to its own",
                                               process->processors)
                            : "bind each to a processor of its own: OMP_PLACES, OMP_PROC_BIND, KMP_AFFINITY";
}

void omptape_describe_preemption(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    const bool at_lock = finding->region != NULL && omptape_region_is_lock(finding->region->kind);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    const char *who = omptape_rivals_text(state, &rivals);
    const char *colon = who[0] != '\0' ? ": " : "";
    finding->proposal = omptape_rivals_proposal(state, &rivals);
    /* If the gain consists of waiting alone, all threads but one waited. */
    const uint64_t others = result->threads > result->at_once ? result->threads - result->at_once : 1;
    if (finding->waited == 0)
        finding->text =
            omptape_sentence(state, "threads had no processor for a part of their work%s%s%s",
                             omptape_findings_are_measured(state, 0) ? "" : " (estimated)", colon, who);
    else
        finding->text = omptape_sentence(
            state, "the %s had no processor%s%s; the others wait %s in all%s",
            at_lock ? "thread that had the lock, or was next to have it," : "last thread to come", colon, who,
            omptape_time_text(state, (double)finding->waited),
            4 * others * finding->gain > 5 * finding->waited ? ", and lacked one at times themselves" : "");
}

void omptape_describe_quota(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    finding->text = omptape_sentence(
        state,
        "its cgroup may use %.3g processors: threads were stopped in %.0f of %.0f periods, %s in all%s",
        rivals.processors, rivals.throttled, rivals.periods,
        omptape_time_text(state, rivals.quota / state->ns_per_tick),
        rivals.is_used_up ? omptape_sentence(state, " (cpu.stat), and had no processor for %s",
                                             omptape_time_text(state, rivals.queued / state->ns_per_tick))
                          : "");
    finding->proposal = omptape_rivals_raise(state, &rivals);
}

void omptape_describe_late_start(struct analysis_state *state, struct omptape_finding *finding)
{
    const bool is_left = finding->region != NULL && finding->region->kind != OMPTAPE_REGION_PARALLEL &&
                         finding->region->kind != OMPTAPE_REGION_TEAMS;
    finding->text = omptape_sentence(state, "after %s %s%s threads %s late; the others wait %s in all",
                                     omptape_count_text(state, finding->count), is_left ? "barrier" : "fork",
                                     finding->count == 1 ? "" : "s", is_left ? "go on" : "begin",
                                     omptape_time_text(state, (double)finding->waited));
}
