/* SPDX-License-Identifier: BSD-3-Clause
 *
 * More threads than processors: what that costs. Called by findings.c.
 */
#include "src/analysis/gathering.h"

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
           (double)state->result->processes[process].barriers * (double)state->short_idle;
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
