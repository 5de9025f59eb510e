/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds parallel regions that had fewer threads than possible: because of an if clause, num_threads, a limit,
 * or nesting. Processors must have been free. Called by findings.c.
 *
 * If all regions ask for fewer threads than there are processors, the user chose that number
 * (OMP_NUM_THREADS). Such a program gets no finding.
 */
#include "src/analysis/findings/gathering.h"

#include <inttypes.h>
#include <omptape/properties.h>

/* The work of a shorter region cannot be distributed with a reliable gain. */
enum { MIN_REGION_NS = 100000 };

/* Returns the largest number of threads that a region asks for; 0 if there is no region. */
static uint64_t most_asked(const struct analysis_state *state)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        most = parallel->asked > most ? parallel->asked : most;
    }
    return most;
}

/* If every process may use one processor only (affinity), returns how many each could have if the machine's
 * other processors were distributed. The regions then ask for one thread, or for several that share the
 * processor. Returns 0 otherwise, or if unknown. */
static uint64_t left_on_machine(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    const uint64_t allowed = omptape_findings_allowed(state, NULL);
    const uint64_t online = omptape_findings_online(state);
    const uint64_t asked = most_asked(state);
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].processors != 1 || (result->processes[i].most_threads > 1 && asked < 2))
            return 0;
    const uint64_t left = allowed > 0 && online > allowed ? 1 + (online - allowed) / result->at_once : 0;
    return asked > 1 && asked < left ? asked : left;
}

/* Returns the cgroup's limit in processors; 0 if there is none. */
static double quota_of(const struct analysis_state *state)
{
    return state->result->process_count == 1
               ? omptape_findings_number(state->result, 0, OMPTAPE_KEY_QUOTA) / 1000
               : 0;
}

/* Returns how many threads a region could have had: the largest number that one of them has or asks for,
 * limited by each process's processors. */
static uint64_t possible(const struct analysis_state *state)
{
    uint64_t most = left_on_machine(state);
    if (most > 1)
        return most;
    most = 0;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const uint64_t threads = (uint64_t)parallel->threads * parallel->outer;
        most = threads > most ? threads : most;
        most = parallel->asked > most ? parallel->asked : most;
    }
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const uint64_t here = omptape_usable_processors(&state->result->processes[i]);
        most = here < most ? here : most;
    }
    const double quota = quota_of(state);
    const uint64_t running = omptape_rivals_threads(quota);
    return quota > 0 && running < most ? running : most;
}

/* Returns the wall time that more threads would save. Time without computation does not shrink, and a quota
 * limits the processors. */
static uint64_t lost_to(const struct analysis_state *state, const struct analysis_parallel *parallel,
                        uint64_t threads, bool share_one)
{
    /* Threads of other regions that ran at the same time are included in `concurrent_time`. */
    const uint64_t remaining = (share_one ? parallel->attributed_wall : parallel->concurrent_time) / threads;
    const uint64_t lost = omptape_minus(parallel->attributed_wall, remaining);
    const uint64_t useful = share_one ? omptape_times(parallel->useful, parallel->threads) : parallel->useful;
    const double quota = quota_of(state);
    const double running = quota > 0 && quota < (double)threads ? quota : (double)threads;
    const uint64_t computed = running > 1 ? useful - omptape_whole((double)useful / running) : 0;
    const double mean = parallel->instances > 0 ? (double)parallel->attributed_wall * state->ns_per_tick /
                                                      (double)parallel->instances
                                                : 0;
    if (mean < (double)MIN_REGION_NS || parallel->attributed_wall == 0)
        return 0;
    return lost < computed ? lost : computed;
}

/* Returns true if at least `threads` threads had work in all instances, nested regions included. */
static bool has_all(const struct analysis_parallel *parallel, uint64_t threads)
{
    return parallel->single == 0 && (parallel->threads >= threads || parallel->within >= threads);
}

void omptape_findings_add_few(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const uint64_t threads = possible(state);
    const bool share_one = left_on_machine(state) > 1 && most_asked(state) > 1;
    for (uint32_t i = 0; i < state->parallels.count && threads > 1; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const uint64_t lost = lost_to(state, parallel, threads, share_one);
        if (lost == 0 || (share_one ? parallel->threads < 2 : has_all(parallel, threads)))
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_FEW_THREADS, parallel->region);
        omptape_findings_set_cost(finding, parallel->attributed_wall, lost);
        finding->count = parallel->instances;
        omptape_findings_set_worst(finding, &parallel->region->visits);
    }
}

/* Returns a proposal for the reason that the record shows. */
static const char *proposal_of(const struct analysis_parallel *parallel)
{
    if (parallel->region->kind == OMPTAPE_REGION_TEAMS)
        return "on the host: parallel in place of teams, or num_teams() and thread_limit()";
    if (parallel->denied > 0)
        return "more threads for the outer region, or OMP_MAX_ACTIVE_LEVELS=2 for the ones within";
    if (parallel->asked > parallel->threads)
        return "OMP_DYNAMIC=false, and a limit that leaves them: OMP_THREAD_LIMIT, thread_limit()";
    if (parallel->threads == 1)
        return "if its work can be shared out: without if() or num_threads(1)";
    return "if its work can be shared out: more threads, in num_threads()";
}

void omptape_describe_few(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_parallel *parallel = omptape_analysis_of_region(&state->parallels, finding->region);
    if (parallel == NULL)
        return;
    const char *time = omptape_time_text(state, (double)finding->cost / state->result->at_once);
    const uint64_t threads = possible(state);
    const uint32_t allowed = omptape_findings_allowed(state, NULL);
    if (left_on_machine(state) > 1) {
        finding->text = omptape_sentence(
            state,
            "%s on 1 %s: the process%s may use %" PRIu32 " of %" PRIu64
            " processors of the machine; this is to win if the others are free",
            time, parallel->threads > 1 ? "processor, which its threads share" : "thread",
            state->result->process_count > 1 ? "es" : "", allowed, omptape_findings_online(state));
        finding->proposal =
            omptape_findings_bound_themselves(state)
                ? "find who binds it before the first region: sched_setaffinity, in the program "
                  "or a library"
                : "let it use more: --cpus-per-task (Slurm), --map-by with PE=, --bind-to none "
                  "(mpirun), taskset";
        return;
    }
    const bool some = parallel->single > 0 && parallel->single < parallel->instances;
    if (some)
        finding->text =
            omptape_sentence(state,
                             "%" PRIu64 " of %" PRIu64 " instances had one thread; all take %s, and "
                             "%" PRIu64 " threads could run",
                             parallel->single, parallel->instances, time, threads);
    else if (parallel->denied > 0)
        finding->text = omptape_sentence(state,
                                         "%s on %u thread%s, where %" PRIu64 " could run; %" PRIu64
                                         " region%s within got fewer than %s asked for",
                                         time, parallel->threads, parallel->threads == 1 ? "" : "s", threads,
                                         parallel->denied, parallel->denied == 1 ? "" : "s",
                                         parallel->denied == 1 ? "it" : "they");
    else
        finding->text = omptape_sentence(
            state, "%s on %u thread%s, where %" PRIu64 " could run; it asked for %" PRIu64, time,
            parallel->threads, parallel->threads == 1 ? "" : "s", threads, parallel->asked);
    finding->proposal = proposal_of(parallel);
}
