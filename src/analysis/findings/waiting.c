/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes findings of the causes of waiting (causes.h), and of tasks that are small compared with the cost of
 * creating and handling them. Such tasks explain a part of the waiting. Called by findings.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/locks.h"
#include "src/analysis/tasks.h"

/* CALLBACK_NS: the runtime's cost of a task callback beside the tool's own time. */
enum { FINE_GRAIN_NS = 20000, CALLBACK_NS = 6 };

static double mean_ns(const struct analysis_state *state, uint64_t sum, uint64_t count)
{
    return count > 0 ? (double)sum * state->ns_per_tick / (double)count : 0;
}

bool omptape_findings_are_fine(const struct analysis_state *state, const struct analysis_task_site *site)
{
    uint64_t inside = site->created_inside <= site->result.created && site->result.created > 0
                          ? omptape_whole((double)site->result.creation * (double)site->created_inside /
                                          (double)site->result.created)
                          : 0;
    uint64_t work = omptape_minus(site->result.grain.sum, inside);
    uint64_t cost = omptape_plus(site->result.creation, site->result.handling);
    return site->result.grain.count >= ANALYSIS_MIN_INSTANCES && omptape_times(4, cost) > work &&
           mean_ns(state, work, site->result.grain.count) < (double)FINE_GRAIN_NS;
}

const struct analysis_task_site *omptape_findings_task_site(const struct analysis_state *state,
                                                            const struct analysis_region *region)
{
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        if (site->result.region == region)
            return site;
    }
    return NULL;
}

/* Returns the wall time of creating and handling tasks. */
static uint64_t management_of(const struct analysis_task_site *site)
{
    uint64_t threads = site->threads > 0 ? site->threads : 1;
    return site->result.creation / threads + site->handling_parts / 256;
}

/* Returns the same time without the cost of tracing. */
static uint64_t untraced_management_of(const struct analysis_state *state,
                                       const struct analysis_task_site *site)
{
    uint64_t threads = site->threads > 0 ? site->threads : 1;
    double records = ((double)site->before.count + (double)site->after.count) / (double)threads +
                     (double)site->handling_records / 256;
    double runtime =
        state->result->perturbation.record > 0 ? records * (double)CALLBACK_NS / state->ns_per_tick : 0;
    return omptape_findings_without(state, omptape_minus(management_of(site), omptape_whole(runtime)),
                                    records);
}

static void add_fine_tasks(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        if (site->result.region == NULL || !omptape_findings_are_fine(state, site))
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_FINE_TASKS, site->result.region);
        const uint64_t cost = omptape_plus(site->result.creation, site->result.handling);
        const uint64_t gain = untraced_management_of(state, site);
        omptape_add(&finding->gain, gain);
        omptape_add(&finding->cost_wall, management_of(site));
        omptape_add(&finding->tracing, omptape_minus(management_of(site), gain));
        omptape_add(&finding->cost, cost);
        omptape_add(&finding->waited, cost);
        finding->count = site->result.grain.count;
        omptape_findings_set_worst(finding, &site->result.grain);
    }
}

/* Returns true if long tasks explain why threads had no task. Either tasks outlasted the others that ran at
 * the same time, or many are longer than twice the mean (by histogram bins). Tasks that never ran at the same
 * time cannot outlast others. */
static bool are_unequal(const struct analysis_state *state, const struct analysis_task_site *site)
{
    if (site->result.most_at_once < 2)
        return false;
    if (omptape_times(2, site->outlasted) > site->result.starved)
        return true;
    const struct analysis_durations *grain = &site->result.grain;
    double mean = mean_ns(state, grain->sum, grain->count);
    double excess = 0;
    unsigned bin = 2 + omptape_durations_bin(omptape_mean(grain->sum, grain->count), state->ns_per_tick);
    for (; bin < ANALYSIS_BINS; bin++)
        excess += (double)grain->bins[bin] * (1.5 * (double)((uint64_t)1 << bin) - mean);
    double threads = site->threads > 1 ? (double)site->threads : 2;
    return 2 * excess * (threads - 1) > (double)site->result.starved * state->ns_per_tick;
}

/* Returns true if threads waited because of many small tasks: creation delayed them, or they found no task.
 * Threads that find no task spin and yield the processor, however many tasks there are. */
static bool is_of_fine_tasks(const struct analysis_state *state, const struct analysis_cause *cause)
{
    bool may_be = cause->kind == OMPTAPE_FINDING_FINE_TASKS || cause->kind == OMPTAPE_FINDING_TASK_CHAIN ||
                  cause->kind == OMPTAPE_FINDING_PREEMPTION;
    const struct analysis_task_site *site =
        may_be && cause->region != NULL ? omptape_findings_task_site(state, cause->region) : NULL;
    return site != NULL && omptape_findings_are_fine(state, site);
}

static bool are_small(const struct analysis_state *state, const struct analysis_task_site *site)
{
    return mean_ns(state, site->result.grain.sum, site->result.grain.count) < (double)FINE_GRAIN_NS;
}

/* Returns true if threads waited for a small task while some were queued. Then the runtime takes longer to
 * pass tasks on than to execute them, as libgomp does when it must wake a thread. */
static bool waits_for_runtime(const struct analysis_state *state, const struct analysis_cause *cause,
                              const struct analysis_task_site *site)
{
    return cause->kind == OMPTAPE_FINDING_TASK_CHAIN && site != NULL && are_small(state, site) &&
           (2 * site->unserved > site->result.starved || omptape_tasks_run_where_created(site));
}

/* Returns true if the wait is due to a missing processor. Small tasks without dependences are waited for
 * longer than their creation takes only if their creator or executor has none, or for the runtime. Where
 * context switches were recorded, such waits are charged already. */
static bool waits_for_processor(const struct analysis_state *state, const struct analysis_cause *cause,
                                const struct analysis_task_site *site)
{
    bool waits = cause->kind == OMPTAPE_FINDING_FINE_TASKS || cause->kind == OMPTAPE_FINDING_TASK_CHAIN;
    return waits && site != NULL && site->dependent == 0 && !omptape_findings_all_measured(state) &&
           omptape_findings_on_processor(state->result) < 0.9 && are_small(state, site);
}

static enum omptape_finding_kind kind_of(const struct analysis_state *state,
                                         const struct analysis_cause *cause)
{
    const struct analysis_task_site *site =
        cause->region == NULL ? NULL : omptape_findings_task_site(state, cause->region);
    if (waits_for_processor(state, cause, site))
        return OMPTAPE_FINDING_PREEMPTION;
    if (waits_for_runtime(state, cause, site))
        return OMPTAPE_FINDING_FINE_TASKS;
    if (cause->kind == OMPTAPE_FINDING_FINE_TASKS)
        return OMPTAPE_FINDING_SERIAL;
    if (cause->kind == OMPTAPE_FINDING_TASK_CHAIN && site != NULL &&
        !omptape_tasks_are_chain(&site->result) && are_unequal(state, site))
        return OMPTAPE_FINDING_IMBALANCE;
    return cause->kind;
}

/* Returns the part (0 to 1) of the waiting that the creation of fine tasks explains. Team members wait no
 * longer than one thread needs to create and execute the tasks. With more threads than processors waiting
 * threads yield, so only the creation counts. */
static double part_of_creation(const struct analysis_findings *findings, const struct analysis_region *region)
{
    const struct analysis_state *state = findings->state;
    const struct analysis_task_site *site = omptape_findings_task_site(state, region);
    const double threads = site->threads > 1 ? (double)site->threads : 2;
    const double work = findings->fewest_processors > 0 ? 0 : (double)site->result.grain.sum;
    const double most = ((double)site->result.creation + work) * (threads - 1) / threads;
    double waited = 0;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->region == region && is_of_fine_tasks(state, cause))
            waited += (double)cause->gain_parts / 256;
    }
    return waited > most ? most / waited : 1;
}

/* Adds a part (0 to 1) of a cause at this region. Time without a processor counts fully as wall time; waiting
 * is divided among the threads. What the records in it took is not won. */
static void add_cause_at(struct analysis_findings *findings, const struct analysis_cause *cause,
                         enum omptape_finding_kind kind, struct analysis_region *region, double part)
{
    if (part <= 0)
        return;
    struct omptape_finding *finding = omptape_findings_at(findings, kind, region);
    const uint64_t wall = omptape_whole(part * (double)cause->gain_parts / 256);
    const uint64_t gain =
        omptape_findings_without(findings->state, wall, part * (double)cause->records / 256);
    const uint64_t waited = omptape_whole(part * (double)cause->waited);
    omptape_add(&finding->gain, gain);
    omptape_add(&finding->cost_wall, wall);
    omptape_add(&finding->tracing, wall - gain);
    omptape_add(&finding->waited, waited);
    const uint64_t lacked = omptape_whole(part * (double)cause->blocked_time);
    const uint64_t cost = omptape_plus(waited, lacked);
    omptape_add(&finding->blocked_time, lacked);
    finding->blocked_threads =
        cause->blocked_threads > finding->blocked_threads ? cause->blocked_threads : finding->blocked_threads;
    omptape_add(&finding->cost, kind == OMPTAPE_FINDING_PREEMPTION || wall > cost ? wall : cost);
    omptape_add(&finding->count, cause->count);
    finding->around = cause->parallel;
    if (kind == OMPTAPE_FINDING_BLOCKED && cause->kind == OMPTAPE_FINDING_LOCK)
        return; /* the worst instance belongs to the thread that slept */
    if (omptape_minus(cause->worst.end, cause->worst.begin) >
        omptape_minus(finding->worst.end, finding->worst.begin))
        finding->worst = cause->worst;
}

/* Returns true if threads waited for tasks with dependences. */
static bool is_of_graph(const struct analysis_state *state, const struct analysis_cause *cause)
{
    const struct analysis_task_site *site = cause->kind == OMPTAPE_FINDING_TASK_CHAIN && cause->region != NULL
                                                ? omptape_findings_task_site(state, cause->region)
                                                : NULL;
    return site != NULL && site->dependent > 0 && kind_of(state, cause) == OMPTAPE_FINDING_TASK_CHAIN;
}

/* Returns the place of the graph of tasks in a parallel region: the one that is waited for longest. All its
 * places are one finding, because they depend on each other. Returns NULL if nobody waits for such tasks. */
static struct analysis_region *place_of_graph(const struct analysis_state *state,
                                              const struct analysis_region *parallel)
{
    const struct analysis_cause *most = NULL;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->parallel == parallel && (most == NULL || cause->gain_parts > most->gain_parts) &&
            is_of_graph(state, cause))
            most = cause;
    }
    return most != NULL ? most->region : NULL;
}

struct analysis_graph omptape_findings_graph(const struct analysis_state *state,
                                             const struct omptape_finding *finding)
{
    struct analysis_graph graph = {0};
    for (uint32_t i = 0; i < state->parallels.count && finding->kind == OMPTAPE_FINDING_TASK_CHAIN; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const struct analysis_region *place = place_of_graph(state, parallel->region);
        if (place == NULL || place != finding->region)
            continue;
        omptape_add(&graph.chain, parallel->task_chain);
        omptape_add(&graph.work, parallel->task_work);
        graph.threads = parallel->threads > graph.threads ? parallel->threads : graph.threads;
    }
    return graph;
}

static void add_cause(struct analysis_findings *findings, const struct analysis_cause *cause,
                      enum omptape_finding_kind kind, double part)
{
    struct analysis_region *region = cause->region;
    if (region != NULL && cause->kind == OMPTAPE_FINDING_LOCK)
        region = omptape_analysis_lock_holder(findings->state, region);
    else if (kind == OMPTAPE_FINDING_TASK_CHAIN && is_of_graph(findings->state, cause))
        region = place_of_graph(findings->state, cause->parallel);
    add_cause_at(findings, cause, kind, region, part);
}

/* Returns the share (0 to 1) of this place's lock hold time in which the holder slept. */
static double slept_share(const struct analysis_state *state, const struct analysis_region *holder)
{
    const struct analysis_lock_site *site = omptape_analysis_of_region(&state->lock_sites, holder);
    if (site == NULL || site->result.hold.sum == 0)
        return 0;
    const double share = (double)site->result.slept / (double)site->result.hold.sum;
    return share < 1 ? share : 1;
}

/* A thread that waits for a lock with a sleeping holder waits for the holder's sleep. Returns the part (0 to
 * 1) of the waiting that this explains. */
static double add_slept(struct analysis_findings *findings, const struct analysis_cause *cause)
{
    const struct analysis_state *state = findings->state;
    const struct analysis_lock_site *site =
        cause->kind == OMPTAPE_FINDING_LOCK ? omptape_analysis_of_region(&state->lock_sites, cause->region)
                                            : NULL;
    double slept = 0;
    if (site == NULL || site->result.contended_wait == 0)
        return 0;
    const double all = (double)site->result.contended_wait;
    const double held = (double)omptape_minus(site->result.contended_wait, site->result.handover) / all;
    for (uint32_t i = 0; i < state->lock_holders.count; i++) {
        const struct analysis_lock_holder *one = state->lock_holders.list[i].value;
        if (one->asker != cause->region)
            continue;
        const double part = (double)one->waited / all * held * slept_share(state, one->holder);
        add_cause_at(findings, cause, OMPTAPE_FINDING_BLOCKED, one->holder, part);
        slept += part;
    }
    return slept < 1 ? slept : 1;
}

static void add_causes(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->causes.count && !omptape_out_of_memory; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        const struct analysis_parallel *parallel =
            omptape_analysis_of_region(&state->parallels, cause->parallel);
        if (parallel != NULL && cause->kind != OMPTAPE_FINDING_BLOCKED &&
            omptape_findings_is_tiny(findings, parallel) &&
            !omptape_findings_outlives_tiny(findings, parallel, cause))
            continue;
        double own = cause->kind == OMPTAPE_FINDING_PREEMPTION ? state->result->perturbation.of_queue : 0;
        double fine = is_of_fine_tasks(state, cause) ? part_of_creation(findings, cause->region) : 0;
        const double slept = add_slept(findings, cause);
        add_cause(findings, cause, OMPTAPE_FINDING_FINE_TASKS, (1 - own) * fine);
        add_cause(findings, cause, kind_of(state, cause), (1 - own) * (1 - fine) * (1 - slept));
    }
}

/* Limits the gain to the time that the thread slept, because waiting beyond that has another reason. Sleeping
 * with a lock is excluded: the lock's finding has the waiting. */
static void limit_to_sleep(struct analysis_findings *findings)
{
    const uint64_t threads = findings->state->result->threads;
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        if (finding->kind != OMPTAPE_FINDING_BLOCKED || finding->blocked_threads == 0 ||
            finding->region == NULL || finding->gain <= finding->blocked_time ||
            omptape_analysis_of_region(&findings->state->lock_sites, finding->region) != NULL)
            continue;
        const uint64_t waited = omptape_times(finding->blocked_time, omptape_minus(threads, 1));
        finding->gain = finding->cost_wall = finding->blocked_time;
        finding->waited = finding->waited < waited ? finding->waited : waited;
        finding->cost = omptape_plus(finding->waited, finding->blocked_time);
    }
}

/* Limits the gain of graphs of tasks to chain * (threads - 1) / threads: while the longest chain runs, all
 * threads but one may wait for dependences. Waiting beyond that is the runtime's. If enough tasks may run at
 * a time, dependences do not explain the waiting, and the gain is unknown. */
static void limit_to_chain(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        const struct analysis_graph graph = omptape_findings_graph(findings->state, finding);
        if (graph.threads < 2 || graph.chain == 0)
            continue;
        const uint64_t most = omptape_times(graph.chain, graph.threads - 1) / graph.threads;
        finding->remaining_wall = omptape_minus(finding->gain, most);
        finding->gain = finding->gain < most ? finding->gain : most;
        if (omptape_times(graph.chain, graph.threads) > graph.work)
            continue;
        finding->spent_wall = finding->cost_wall;
        finding->gain = finding->remaining_wall = 0;
    }
}

/* Takes off what processes worked between calls that ask in vain. */
static void limit_to_asking(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        struct omptape_finding *finding = &findings->list[i];
        uint64_t all;
        uint64_t between;
        if (!omptape_finding_waits_in_mpi(finding->kind))
            continue;
        (void)omptape_findings_most_late(findings->state, finding, &all, &between);
        const uint64_t worked = omptape_findings_worked_between(findings->state, finding, all, between);
        uint64_t *const sums[] = {&finding->gain, &finding->cost_wall, &finding->waited, &finding->cost};
        for (size_t j = 0; j < sizeof(sums) / sizeof(sums[0]) && worked > 0; j++)
            *sums[j] = omptape_analysis_part(*sums[j], omptape_minus(all, worked), all);
    }
}

void omptape_findings_add_waiting(struct analysis_findings *findings)
{
    add_fine_tasks(findings);
    add_causes(findings);
    limit_to_asking(findings);
    limit_to_sleep(findings);
    limit_to_chain(findings);
}
