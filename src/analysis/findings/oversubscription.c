/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes what more threads than processors cost. Called by findings.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/core/buckets.h"

#include <stddef.h>

/* Least run-queue time, as a share of the threads' time, or of the wall time if that is less. Threads that
 * nearly always have a processor are not too many, but two on one processor can delay all others. */
static const double MIN_QUEUED_SHARE = 0.2;

/* Times of a process's threads, and the kernel's data about them. */
struct analysis_thread_times {
    uint64_t threads;
    double worked;  /* computing on a processor: measured by context switches, else estimated */
    double running; /* processor time of threads with kernel data, extrapolated to their lives */
    double queued;
    double lives;     /* sum of their lives */
    double computing; /* part of `lives` in which they computed */
    double slept;     /* part of it in which they were neither running nor queued: sleep, input, output */
};

static struct analysis_thread_times sum_thread_times(const struct analysis_state *state, uint32_t process)
{
    struct analysis_thread_times times = {0};
    const bool measured = omptape_findings_are_measured(state, process);
    for (uint32_t i = 0; i < state->result->thread_count; i++) {
        const struct analysis_thread *thread = &state->result->thread_list[i];
        double life = (double)omptape_parts_sum(thread->parts);
        if (thread->process != process)
            continue;
        times.threads++;
        times.worked += measured ? (double)thread->parts[OMPTAPE_BUCKET_COMPUTING] : 0;
        if (thread->reading_ticks == 0) {
            times.worked += measured ? 0 : (double)thread->computed;
            continue;
        }
        double part = life > (double)thread->reading_ticks ? life / (double)thread->reading_ticks : 1;
        double running = part * (double)thread->running_ns / state->ns_per_tick;
        times.running += running;
        double queued = part * (double)thread->queued_ns / state->ns_per_tick;
        times.queued += queued;
        times.lives += life;
        double computing = (double)thread->computed;
        times.computing += computing;
        /* The only estimate: a thread that was at work for longer than it ran had no processor for the rest.
         */
        if (!measured)
            times.worked += computing < running ? computing : running;
        double slept = life > running + queued ? life - running - queued : 0;
        times.slept += omptape_slept_at_work(slept, life - computing);
    }
    const struct analysis_process *whole = &state->result->processes[process];
    const double most = (double)whole->processors * (double)omptape_minus(whole->end, whole->begin);
    times.running = most > 0 && times.running > most ? most : times.running;
    return times;
}

/* Returns the wall time, as mean over the processors, in which the program's threads did not use them for
 * reasons other than their number. Outside of parallel regions one processor is enough. If the rivals' time
 * is known, further idle time is due to threads that waited for one without a processor. */
static double elsewhere(const struct analysis_findings *findings, const struct analysis_process *process,
                        uint64_t processors, const struct analysis_thread_times *times)
{
    double all = (double)processors * (double)omptape_minus(process->end, process->begin);
    double outside = (double)(processors - 1) * ((double)process->serial + (double)process->communication);
    double unused = all - times->running - outside;
    double others = (findings->rivals.programs - findings->rivals.nice + findings->rivals.hypervisor) /
                        findings->state->ns_per_tick +
                    (double)findings->state->result->perturbation.writing;
    unused = findings->rivals.is_known && others < unused ? others : unused;
    return times->lives > 0 && unused > 0 ? unused / (double)processors : 0;
}

/* Returns the time of other programs on processors to which the threads are not bound. Without the binding
 * the threads would compete with them. */
static double taken_beside(const struct analysis_findings *findings, uint64_t processors, double elsewhere)
{
    const double taken = (findings->rivals.programs - findings->rivals.nice) / findings->state->ns_per_tick;
    const double here = elsewhere * (double)processors;
    return taken > here ? taken - here : 0;
}

static double wall_of(const struct analysis_parallel *parallel)
{
    const uint64_t wall = parallel->wall / (parallel->outer > 0 ? parallel->outer : 1);
    return (double)wall;
}

/* Returns the wall time of regions with more threads than processors, as mean over the processes. */
static double wall_of_large(const struct analysis_state *state, uint64_t processors)
{
    double wall = 0;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        wall += omptape_findings_has_more_threads(parallel, processors) ? wall_of(parallel) : 0;
    }
    return wall / (double)state->result->process_count;
}

/* Returns the wall time in parallel regions, including the fork, as mean over the processes. */
static double in_parallel(const struct analysis_state *state, const struct analysis_process *process)
{
    double sum = 0;
    double forking = 0;
    for (uint32_t threads = 0; threads < ANALYSIS_CONCURRENCY_BINS; threads++)
        sum += (double)process->wall_by_computing[threads];
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        forking += (double)serial->forking;
    }
    return sum + forking / (double)state->result->process_count;
}

/* Returns true if the process has more threads than processors and they queue considerably. `wall` is its
 * time in parallel regions. */
static bool is_oversubscribed(const struct analysis_process *process,
                              const struct analysis_thread_times *times, double wall)
{
    const double used = times->queued + times->running;
    return times->lives > 0 && process->processors > 0 &&
           process->most_threads > omptape_usable_processors(process) &&
           times->queued >= MIN_QUEUED_SHARE * (wall < used ? wall : used);
}

/* Adds the finding for all regions with too many threads, at the longest one. Tiny regions have their own
 * part (tiny_regions.c), because fewer threads would not change them. */
static void add_finding(struct analysis_findings *findings, double won, double queued, double traced)
{
    const struct analysis_state *state = findings->state;
    const struct analysis_parallel *longest = NULL;
    double wall = 0;
    double rest = 0;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (!omptape_findings_has_too_many(findings, parallel))
            continue;
        wall += wall_of(parallel);
        if (omptape_findings_is_tiny(findings, parallel))
            continue;
        rest += wall_of(parallel);
        if (longest == NULL || parallel->wall > longest->wall)
            longest = parallel;
    }
    findings->lost_share = won > 0 && won < wall ? won / wall : won > 0;
    if (won <= 0 || longest == NULL)
        return;
    struct omptape_finding *finding =
        omptape_findings_at(findings, OMPTAPE_FINDING_OVERSUBSCRIPTION, longest->region);
    omptape_findings_set_cost(finding, omptape_whole(rest), omptape_whole(won * rest / wall));
    finding->waited = omptape_whole(queued * rest / wall);
    finding->tracing = omptape_whole(traced * rest / wall);
    finding->count = longest->instances;
    omptape_findings_set_worst(finding, &longest->region->visits);
}

/* Returns the wall time by which context switches lengthened the program. `lost` is the processor time
 * without work, and `idle` the part of it in which no thread ran. While a team waits for one thread, the
 * others yield processors that nobody needs: slower yields cost nothing then. */
static double lengthened_by_switches(const struct analysis_findings *findings,
                                     const struct analysis_process *process, uint64_t processors, double lost,
                                     double idle)
{
    const struct omptape_analysis *result = findings->state->result;
    const uint64_t alone =
        process->awaited < process->wall_by_computing[1] ? process->awaited : process->wall_by_computing[1];
    const double yielding = (double)(processors - 1) * (double)alone - (idle > 0 ? idle : 0);
    const double free = lost > 0 && yielding > 0 ? yielding / lost : 0;
    const double switching =
        (double)result->perturbation.switching / result->process_count / (double)processors;
    return free < 1 ? switching * (1 - free) : 0;
}

/* Adds the cost of more threads than processors. It is the time in parallel regions minus the time that the
 * processors need for the work. If the threads are bound, all processors of the process count. Only regions
 * with more threads than processors contribute. */
void omptape_findings_add_oversubscription(struct analysis_findings *findings)
{
    const struct omptape_analysis *result = findings->state->result;
    double won = 0;
    double queued = 0;
    double traced = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        const struct analysis_thread_times times = sum_thread_times(findings->state, i);
        uint64_t here = omptape_usable_processors(process);
        double whole = in_parallel(findings->state, process);
        double large = is_oversubscribed(process, &times, whole) ? wall_of_large(findings->state, here) : 0;
        bool has_fewer = times.lives > 0 && here > 0 && process->most_threads > here;
        double work = has_fewer ? times.worked : 0;
        double worked = has_fewer ? work / (double)here : 0;
        findings->has_fewer_processors = findings->has_fewer_processors || has_fewer;
        findings->idle_wall += worked < whole ? whole - worked : 0;
        if (large <= 0)
            continue;
        uint64_t at_hand =
            process->most_threads < process->processors ? process->most_threads : process->processors;
        const double unused = elsewhere(findings, process, here, &times);
        const double beside = at_hand > here ? taken_beside(findings, here, unused) : 0;
        const double all = (double)here * whole;
        const double tracing =
            lengthened_by_switches(findings, process, here, all - work, all - times.running);
        double saved = whole - unused - tracing - (work + beside) / (double)at_hand -
                       times.slept / (double)times.threads;
        if (findings->fewest_processors == 0 || here < findings->fewest_processors)
            findings->fewest_processors = here;
        if (saved > 0) {
            won += large < whole ? saved * large / whole : saved;
            queued += times.queued;
            traced += large < whole ? tracing * large / whole : tracing;
        }
    }
    add_finding(findings, won, queued, traced);
}

bool omptape_findings_is_of_oversubscription(enum omptape_finding_kind kind)
{
    return kind == OMPTAPE_FINDING_PREEMPTION || kind == OMPTAPE_FINDING_TINY_REGIONS ||
           kind == OMPTAPE_FINDING_LATE_START || kind == OMPTAPE_FINDING_NEEDLESS_BARRIER;
}

static bool is_waiting(enum omptape_finding_kind kind)
{
    return kind == OMPTAPE_FINDING_IMBALANCE || kind == OMPTAPE_FINDING_LOCK ||
           kind == OMPTAPE_FINDING_TASK_CHAIN || kind == OMPTAPE_FINDING_SERIAL ||
           kind == OMPTAPE_FINDING_NESTED_WAIT || kind == OMPTAPE_FINDING_PREEMPTION;
}

bool omptape_findings_is_waiting_inside(const struct omptape_finding *finding)
{
    return is_waiting(finding->kind) && finding->serial == NULL &&
           !omptape_findings_is_of_oversubscription(finding->kind);
}

/* Returns the last process with more threads than processors, or -1. */
static int64_t last_of_many(const struct omptape_analysis *result)
{
    for (uint32_t i = result->process_count; i-- > 0;) {
        const struct analysis_process *process = &result->processes[i];
        if (process->processors > 1 && process->most_threads > process->processors)
            return i;
    }
    return -1;
}

/* Returns the factor for waiting in that process. While one of many threads works, one of the available
 * processors is used, so the loss is smaller than the number of threads suggests. Sleep needs no processor
 * and counts fully. */
static double part_of_waiting(const struct analysis_state *state, int64_t of_many)
{
    if (of_many < 0)
        return 1;
    const struct analysis_process *process = &state->result->processes[of_many];
    const struct analysis_thread_times times = sum_thread_times(state, (uint32_t)of_many);
    double slept = times.computing > 0 ? times.slept / times.computing : 0;
    return slept +
           (1 - slept) * (1 - 1 / (double)process->processors) / (1 - 1 / (double)process->most_threads);
}

static struct omptape_finding *find(struct analysis_findings *findings, enum omptape_finding_kind kind,
                                    const struct analysis_region *region)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == kind && (region == NULL || findings->list[i].region == region))
            return &findings->list[i];
    return NULL;
}

/* Returns the loss by code for one thread (single, masked): all processors but one are idle. Threads without
 * a processor do not arrive to wait for it; a finding about a missing processor shows this case. */
static uint64_t alone_in(const struct omptape_finding *finding, const struct omptape_finding *lack,
                         double processors)
{
    bool for_one =
        finding->kind == OMPTAPE_FINDING_SERIAL && finding->serial == NULL && finding->region != NULL &&
        (finding->region->kind == OMPTAPE_REGION_SINGLE || finding->region->kind == OMPTAPE_REGION_MASKED);
    if (!for_one || processors <= 0)
        return 0;
    uint64_t waited = finding->waited + (lack != NULL ? lack->waited : 0);
    uint64_t time = omptape_analysis_worked(finding->region->parts);
    return omptape_whole((double)(time < waited ? time : waited) * (1 - 1 / processors));
}

/* Adds the missing processor's loss to the waiting: spinning threads take the processor from the awaited
 * thread. This applies if the thread was late for other reasons too. */
static void add_lack(struct analysis_findings *findings, struct omptape_finding *finding, double processors)
{
    struct omptape_finding *lack = finding->region != NULL && finding->serial == NULL
                                       ? find(findings, OMPTAPE_FINDING_PREEMPTION, finding->region)
                                       : NULL;
    uint64_t alone = alone_in(finding, lack, processors);
    if (alone <= finding->gain && (lack == NULL || 2 * finding->gain < lack->gain))
        return;
    if (lack != NULL) {
        omptape_add(&finding->gain, lack->gain);
        omptape_add(&finding->cost, lack->cost);
        omptape_add(&finding->cost_wall, lack->cost_wall);
        lack->gain = lack->cost = lack->cost_wall = 0;
    }
    finding->gain = alone > finding->gain ? alone : finding->gain;
    finding->cost_wall = alone > finding->cost_wall ? alone : finding->cost_wall;
}

/* Limits all waiting to the time in which not all processors worked, because otherwise waiting costs nothing.
 */
static void limit_waiting(struct analysis_findings *findings)
{
    double sum = 0;
    for (uint32_t i = 0; i < findings->count; i++)
        sum += omptape_findings_is_waiting_inside(&findings->list[i]) ? (double)findings->list[i].gain : 0;
    for (uint32_t i = 0; i < findings->count && sum > findings->idle_wall; i++)
        if (omptape_findings_is_waiting_inside(&findings->list[i]))
            findings->list[i].gain =
                omptape_whole((double)findings->list[i].gain * findings->idle_wall / sum);
}

void omptape_findings_weigh_oversubscription(struct analysis_findings *findings)
{
    struct omptape_finding *many = find(findings, OMPTAPE_FINDING_OVERSUBSCRIPTION, NULL);
    int64_t of_many = last_of_many(findings->state->result);
    double part = part_of_waiting(findings->state, of_many);
    double processors = of_many >= 0 ? (double)findings->state->result->processes[of_many].processors : 0;
    uint64_t sum = 0;
    uint64_t most = 0;
    if (findings->fewest_processors == 0) {
        if (findings->has_fewer_processors)
            limit_waiting(findings);
        return;
    }
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (is_waiting(finding->kind))
            finding->gain = omptape_whole((double)finding->gain * part);
    }
    for (uint32_t i = 0; i < findings->count; i++)
        if (omptape_findings_is_waiting_inside(&findings->list[i]))
            add_lack(findings, &findings->list[i], processors);
    limit_waiting(findings);
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *finding = &findings->list[i];
        if (finding == many || omptape_findings_is_of_oversubscription(finding->kind))
            continue;
        omptape_add(&sum, finding->gain);
        most = finding->gain > most ? finding->gain : most;
    }
    if (many != NULL && omptape_times(3, most) >= omptape_plus(many->gain, many->tracing))
        many->gain = omptape_minus(many->gain, sum);
}
