/* SPDX-License-Identifier: BSD-3-Clause
 *
 * More threads than processors: what that costs. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"

#include <stddef.h>

/* Threads that have a processor nearly always are not too many, whatever their number. */
static const double LEAST_LINE = 0.2;

/* Of the time in which the thread computed for longer than others let it, how much it had a processor.
 * Threads that wait in a spinning barrier stand in line as well as those that compute, but give way more
 * readily: taken between all of the line having been waiting threads' (three parts) and an even share (one
 * part). */
static double computed_on_processor(const struct analysis_state *state, const struct analysis_thread *thread)
{
    double queued = (double)thread->queued_ns / state->ns_per_tick;
    double running = (double)thread->running_ns / state->ns_per_tick;
    double computing = (double)thread->parts[OMPTAPE_BUCKET_COMPUTING];
    double broken = computing - (double)thread->unbroken;
    double others = (double)(thread->end - thread->begin) - computing;
    double most = queued > others ? broken - (queued - others) : broken;
    return (3 * (most > 0 ? most : 0) + broken * running / (running + queued)) / 4;
}

struct analysis_line {
    double unbroken; /* computing, of all threads: in short stretches, */
    double broken;   /* ...and in others; */
    double known;    /* the latter of threads of which the kernel told, */
    double needed;   /* ...on a processor */
    double running;
    double queued;
};

static struct analysis_line stand_in_line(const struct analysis_state *state, uint32_t process)
{
    struct analysis_line line = {0};
    for (uint32_t i = 0; i < state->result->thread_count; i++) {
        const struct analysis_thread *thread = &state->result->thread_list[i];
        if (thread->process != process)
            continue;
        double broken = (double)(thread->parts[OMPTAPE_BUCKET_COMPUTING] - thread->unbroken);
        line.unbroken += (double)thread->unbroken;
        line.broken += broken;
        if (thread->running_ns + thread->queued_ns == 0)
            continue;
        line.known += broken;
        line.needed += computed_on_processor(state, thread);
        line.running += (double)thread->running_ns / state->ns_per_tick;
        line.queued += (double)thread->queued_ns / state->ns_per_tick;
    }
    return line;
}

/* Wall time that as many threads as there are processors would need, barriers included. */
static double time_needed(const struct analysis_state *state, const struct analysis_line *line,
                          uint32_t process, uint64_t processors)
{
    double share = line->known > 0 ? line->needed / line->known : 1;
    return (line->unbroken + share * line->broken) / (double)processors +
           (double)state->result->processes[process].barriers * (double)state->short_idle / 2;
}

/* Of the regions with more threads than that the one that takes longest, and how long all take. */
static const struct analysis_parallel *largest_parallel(const struct analysis_state *state,
                                                        uint64_t processors, uint64_t *wall)
{
    const struct analysis_parallel *largest = NULL;
    *wall = 0;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        uint64_t threads = (uint64_t)parallel->threads * parallel->outer;
        if (threads <= processors)
            continue;
        *wall += parallel->wall / (parallel->outer > 0 ? parallel->outer : 1);
        if (largest == NULL || parallel->wall > largest->wall)
            largest = parallel;
    }
    return largest;
}

/* What a process was in parallel regions: outside of them, and in MPI, there are no more threads than
 * processors. `parallel`: of all processes, those regions that have more. */
static uint64_t wall_of(const struct omptape_analysis *result, const struct analysis_process *process,
                        uint64_t parallel)
{
    uint64_t rest = process->serial + process->communication;
    uint64_t wall = process->end - process->begin;
    uint64_t mean = parallel / result->process_count;
    wall -= rest < wall ? rest : wall;
    return mean < wall ? mean : wall;
}

/* Those that its threads may run on: fewer than are at hand where they are bound to some of these. */
static uint64_t usable(const struct analysis_process *process)
{
    bool fewer = process->bound > 0 && process->bound < process->processors;
    return fewer ? process->bound : process->processors;
}

/* More threads than processors, and in each other's way: the time in parallel regions against what the
 * processors needed for the work, or those that as many threads can have if they are not bound so. */
void omptape_findings_add_oversubscription(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        uint64_t parallel = 0;
        const struct analysis_parallel *largest = largest_parallel(state, usable(process), &parallel);
        const struct analysis_line line = stand_in_line(state, i);
        if (largest == NULL || process->processors == 0 || process->most_threads <= usable(process) ||
            line.queued < LEAST_LINE * (line.queued + line.running))
            continue;
        uint64_t wall = wall_of(result, process, parallel);
        uint64_t at_hand =
            process->most_threads < process->processors ? process->most_threads : process->processors;
        double needed = time_needed(state, &line, i, at_hand);
        findings->oversubscribed = true;
        struct omptape_finding *finding =
            needed >= (double)wall
                ? NULL
                : omptape_findings_at(findings, OMPTAPE_FINDING_OVERSUBSCRIPTION, largest->region);
        if (finding == NULL)
            continue;
        finding->gain += wall - (uint64_t)needed;
        finding->waited += (uint64_t)line.queued;
        finding->count += largest->instances;
        finding->worst_begin = largest->region->visits.longest_begin;
        finding->worst_end = finding->worst_begin + largest->region->visits.longest;
        finding->worst_location = largest->region->visits.longest_location;
    }
}

enum { TURN_NS = 200000 };

/* Where threads take turns each barrier has a last one. That is too little to be the work's. */
static bool is_turn(const struct analysis_state *state, const struct omptape_finding *finding)
{
    return finding->kind == OMPTAPE_FINDING_IMBALANCE &&
           (double)finding->gain * state->ns_per_tick < (double)finding->count * (double)TURN_NS;
}

bool omptape_findings_is_of_oversubscription(enum omptape_finding_kind kind)
{
    return kind == OMPTAPE_FINDING_PREEMPTION || kind == OMPTAPE_FINDING_TINY_REGIONS ||
           kind == OMPTAPE_FINDING_NEEDLESS_BARRIER;
}

static bool is_waiting(enum omptape_finding_kind kind)
{
    return kind == OMPTAPE_FINDING_IMBALANCE || kind == OMPTAPE_FINDING_LOCK ||
           kind == OMPTAPE_FINDING_TASK_CHAIN || kind == OMPTAPE_FINDING_SERIAL ||
           kind == OMPTAPE_FINDING_NESTED_WAIT || kind == OMPTAPE_FINDING_PREEMPTION;
}

/* While one thread of many works, one processor of those at hand does: less is lost than the threads' number
 * says. */
static double part_of_waiting(const struct omptape_analysis *result)
{
    double part = 1;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        double threads = process->most_threads;
        double processors = (double)process->processors;
        if (processors > 1 && threads > processors)
            part = (1 - 1 / processors) / (1 - 1 / threads);
    }
    return part;
}

static struct omptape_finding *find(struct analysis_findings *findings, enum omptape_finding_kind kind,
                                    const struct analysis_region *region)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == kind && (region == NULL || findings->list[i].region == region))
            return &findings->list[i];
    return NULL;
}

/* Who waits spins, and takes the processor from the one that is waited for: what that one lacked is the
 * waiting's own, where it came late for more reasons than that. */
static void add_lack(struct analysis_findings *findings, struct omptape_finding *finding)
{
    struct omptape_finding *lack = finding->region != NULL && finding->serial == NULL
                                       ? find(findings, OMPTAPE_FINDING_PREEMPTION, finding->region)
                                       : NULL;
    if (lack == NULL || 2 * finding->gain < lack->gain)
        return;
    finding->gain += lack->gain;
    lack->gain = 0;
}

void omptape_findings_weigh_oversubscription(struct analysis_findings *findings)
{
    struct omptape_finding *many = find(findings, OMPTAPE_FINDING_OVERSUBSCRIPTION, NULL);
    double part = part_of_waiting(findings->state->result);
    uint64_t sum = 0;
    uint64_t most = 0;
    if (many == NULL)
        return;
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (is_waiting(finding->kind))
            finding->gain = (uint64_t)((double)finding->gain * part);
    }
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding == many || omptape_findings_is_of_oversubscription(finding->kind) ||
            is_turn(findings->state, finding))
            continue;
        if (is_waiting(finding->kind))
            add_lack(findings, finding);
        sum += finding->gain;
        most = finding->gain > most ? finding->gain : most;
    }
    if (3 * most >= many->gain)
        many->gain -= sum < many->gain ? sum : many->gain;
}
