/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the findings: causes of waiting and other costs of wall time, ranked by their possible gain.
 * Called once, at the end of the analysis. Their sentences are in sentences.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/sentences.h"
#include "src/analysis/locks.h"
#include "src/analysis/tasks.h"

#include <stdlib.h>
#include <string.h>

/* CALLBACK_NS: the runtime's cost of a task callback beside the tool's own time. */
enum { FINE_GRAIN_NS = 20000, SMALL_BYTES = 65536, CALLBACK_NS = 6 };

static double mean_ns(const struct analysis_state *state, uint64_t sum, uint64_t count)
{
    return count > 0 ? (double)sum * state->ns_per_tick / (double)count : 0;
}

/* Returns true if creating and handling the tasks costs more than a quarter of their work. */
static bool are_fine(const struct analysis_state *state, const struct analysis_task_site *site)
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

static const struct analysis_task_site *task_site_at(const struct analysis_state *state,
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
        if (site->result.region == NULL || !are_fine(state, site))
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings, OMPTAPE_FINDING_FINE_TASKS, site->result.region);
        if (finding == NULL)
            return;
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
        may_be && cause->region != NULL ? task_site_at(state, cause->region) : NULL;
    return site != NULL && are_fine(state, site);
}

/* Returns true if the wait is due to a missing processor. Small tasks without dependences are waited for
 * longer than their creation takes only if their creator or executor has none. */
static bool waits_for_processor(const struct analysis_findings *findings, const struct analysis_cause *cause,
                                const struct analysis_task_site *site)
{
    bool waits = cause->kind == OMPTAPE_FINDING_FINE_TASKS || cause->kind == OMPTAPE_FINDING_TASK_CHAIN;
    return waits && site != NULL && site->dependent == 0 &&
           omptape_findings_on_processor(findings->state->result) < 0.9 &&
           mean_ns(findings->state, site->result.grain.sum, site->result.grain.count) < (double)FINE_GRAIN_NS;
}

static enum omptape_finding_kind kind_of(const struct analysis_findings *findings,
                                         const struct analysis_cause *cause)
{
    const struct analysis_state *state = findings->state;
    const struct analysis_task_site *site = cause->region == NULL ? NULL : task_site_at(state, cause->region);
    if (waits_for_processor(findings, cause, site))
        return OMPTAPE_FINDING_PREEMPTION;
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
    const struct analysis_task_site *site = task_site_at(state, region);
    const double threads = site->threads > 1 ? (double)site->threads : 2;
    const double work = findings->processors > 0 ? 0 : (double)site->result.grain.sum;
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
 * is divided among the threads. */
static void add_cause_at(struct analysis_findings *findings, const struct analysis_cause *cause,
                         enum omptape_finding_kind kind, struct analysis_region *region, double part)
{
    struct omptape_finding *finding = part > 0 ? omptape_findings_at(findings, kind, region) : NULL;
    if (finding == NULL)
        return;
    const uint64_t gain = omptape_whole(part * (double)cause->gain_parts / 256);
    const uint64_t waited = omptape_whole(part * (double)cause->waited);
    omptape_add(&finding->gain, gain);
    omptape_add(&finding->cost_wall, gain);
    omptape_add(&finding->waited, waited);
    const uint64_t lacked = omptape_whole(part * (double)cause->blocked_time);
    const uint64_t cost = omptape_plus(waited, lacked);
    omptape_add(&finding->blocked_time, lacked);
    finding->blocked_threads =
        cause->blocked_threads > finding->blocked_threads ? cause->blocked_threads : finding->blocked_threads;
    omptape_add(&finding->cost, kind == OMPTAPE_FINDING_PREEMPTION || gain > cost ? gain : cost);
    omptape_add(&finding->count, cause->count);
    finding->around = cause->parallel;
    if (kind == OMPTAPE_FINDING_BLOCKED && cause->kind == OMPTAPE_FINDING_LOCK)
        return; /* the worst instance belongs to the thread that slept */
    if (omptape_minus(cause->worst_end, cause->worst_begin) >
        omptape_minus(finding->worst_end, finding->worst_begin)) {
        finding->worst_begin = cause->worst_begin;
        finding->worst_end = cause->worst_end;
        finding->worst_location = cause->worst_location;
    }
}

static void add_cause(struct analysis_findings *findings, const struct analysis_cause *cause,
                      enum omptape_finding_kind kind, double part)
{
    struct analysis_region *region = cause->kind == OMPTAPE_FINDING_LOCK && cause->region != NULL
                                         ? omptape_analysis_lock_holder(findings->state, cause->region)
                                         : cause->region;
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
            omptape_findings_is_tiny(findings, parallel))
            continue;
        double own = cause->kind == OMPTAPE_FINDING_PREEMPTION ? state->result->perturbation.of_queue : 0;
        double fine = is_of_fine_tasks(state, cause) ? part_of_creation(findings, cause->region) : 0;
        const double slept = add_slept(findings, cause);
        add_cause(findings, cause, OMPTAPE_FINDING_FINE_TASKS, (1 - own) * fine);
        add_cause(findings, cause, kind_of(findings, cause), (1 - own) * (1 - fine) * (1 - slept));
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

/* Returns true if the serial part between two tiny regions is not longer than the way from one region to the
 * next. Joining the regions then removes the serial part as well. */
static bool is_within_tiny(const struct analysis_state *state, const struct analysis_serial *serial)
{
    const struct analysis_parallel *after = omptape_analysis_of_region(&state->parallels, serial->after);
    const struct analysis_parallel *before = omptape_analysis_of_region(&state->parallels, serial->before);
    if (after == NULL || before == NULL || after->tiny_with == NULL || before->tiny_with == NULL)
        return false;
    const uint64_t way = omptape_mean(omptape_minus(before->wall, before->useful), before->instances);
    return omptape_mean(serial->sum, serial->count) <
           (way > state->short_idle / 5 ? way : state->short_idle / 5);
}

/* Returns the share of the serial parts' time in which their thread had a processor and was outside the
 * kernel. `in_kernel` is the time that other findings have. The remaining time would not shrink with more
 * threads. */
static double part_at_work(const struct omptape_analysis *result, double in_kernel)
{
    double serial = 0;
    double queued = 0;
    for (uint32_t i = 0; i < result->process_count; i++) {
        serial += (double)result->processes[i].serial;
        queued += (double)result->processes[i].serial_queued;
    }
    queued += in_kernel;
    return queued < serial ? 1 - queued / serial : serial > 0 ? 0 : 1;
}

/* Returns the part of the tool's start-up time in those processes whose first serial part this is. */
static uint64_t start_in(const struct analysis_state *state, const struct analysis_serial *serial)
{
    uint64_t processes = state->result->process_count;
    uint64_t starting = state->result->perturbation.starting;
    if (serial->after != NULL || state->windowed)
        return 0;
    return serial->count < processes ? omptape_analysis_part(starting, serial->count, processes) : starting;
}

/* Returns the work of a serial part without the tool's start-up time, which precedes the first region.
 * `blocked` excludes that time already. */
static uint64_t work_of(const struct analysis_state *state, const struct analysis_serial *serial,
                        double at_work)
{
    uint64_t work = omptape_whole((double)omptape_minus(serial->sum, serial->blocked) * at_work *
                                  omptape_findings_before_fork(serial));
    uint64_t start = start_in(state, serial);
    return omptape_minus(work, start);
}

static void add_serials(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    uint64_t threads = result->process_count > 0 ? result->threads / result->process_count : 1;
    double at_work = part_at_work(result, findings->in_kernel);
    for (uint32_t i = 0; i < state->serials.count && threads > 1 && !result->serial_unknown; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        if (is_within_tiny(state, serial))
            continue;
        struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_SERIAL, NULL);
        if (finding == NULL)
            return;
        finding->region = serial->after;
        finding->before = serial->before;
        finding->serial = serial;
        uint64_t work = work_of(state, serial, at_work);
        finding->gain = work - work / threads;
        finding->cost = finding->cost_wall = work;
        finding->remaining_wall = work / threads;
        finding->waited = omptape_times(work, threads - 1);
        finding->count = serial->count;
        finding->worst_begin = serial->longest_begin;
        finding->worst_end = omptape_plus(serial->longest_begin, serial->longest);
        finding->worst_location = serial->longest_location;
    }
}

static void add_transfers(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    for (uint32_t i = 0; i < state->transfers.count; i++) {
        const struct analysis_transfer *transfer = state->transfers.list[i].value;
        uint64_t count = transfer->times.count;
        bool repeats = omptape_times(2, transfer->repeated_time) > transfer->times.sum;
        bool small = count >= ANALYSIS_MIN_INSTANCES && transfer->bytes / count < SMALL_BYTES;
        if (!repeats && !small)
            continue;
        struct omptape_finding *finding =
            omptape_findings_at(findings,
                                small && !(repeats && omptape_mean(transfer->bytes, count) >= 4096)
                                    ? OMPTAPE_FINDING_SMALL_TRANSFERS
                                    : OMPTAPE_FINDING_REPEATED_TRANSFERS,
                                transfer->region);
        if (finding == NULL)
            return;
        finding->transfer = transfer;
        const uint64_t all = omptape_plus(transfer->times.sum, transfer->overhead);
        const bool is_small = finding->kind == OMPTAPE_FINDING_SMALL_TRANSFERS;
        const uint64_t whole =
            is_small ? all
                     : omptape_plus(transfer->repeated_time,
                                    omptape_analysis_part(transfer->overhead, transfer->repeated, count));
        const double records =
            (double)transfer->records * (is_small ? 1 : (double)transfer->repeated / (double)count);
        const uint64_t left = omptape_findings_without(state, whole, records);
        finding->cost = finding->cost_wall = whole;
        finding->remaining_wall = is_small ? omptape_mean(left, count) : 0;
        finding->gain = omptape_minus(left, finding->remaining_wall);
        finding->tracing = whole - left;
        finding->count = count;
        finding->waited = transfer->times.sum;
        omptape_findings_set_worst(finding, &transfer->times);
    }
}

/* Subtracts the outer team's gain from the inner region's finding: the same waiting counts once. */
static void take_off_nested(struct analysis_findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct omptape_finding *nested = &findings->list[i];
        if (nested->kind != OMPTAPE_FINDING_NESTED_WAIT)
            continue;
        for (uint32_t j = 0; j < findings->count; j++) {
            struct omptape_finding *inner = &findings->list[j];
            if (inner->kind == OMPTAPE_FINDING_IMBALANCE && inner->region == nested->region)
                inner->gain = omptape_minus(inner->gain, nested->gain);
        }
    }
}

/* Returns the rank of a finding: its gain or, if that is unknown, the time spent there. */
static uint64_t weight_of(const struct omptape_finding *finding)
{
    return finding->gain > 0 ? finding->gain : finding->spent_wall;
}

static int compare(const void *left, const void *right)
{
    const struct omptape_finding *one = left;
    const struct omptape_finding *other = right;
    uint64_t id = one->region != NULL ? one->region->definition->id : 0;
    uint64_t other_id = other->region != NULL ? other->region->definition->id : 0;
    if ((one->kind == OMPTAPE_FINDING_HANG) != (other->kind == OMPTAPE_FINDING_HANG))
        return one->kind == OMPTAPE_FINDING_HANG ? -1 : 1;
    if (one->kind == OMPTAPE_FINDING_HANG && one->waited != other->waited)
        return one->waited > other->waited ? -1 : 1;
    if (one->is_slight != other->is_slight)
        return one->is_slight ? 1 : -1;
    if (weight_of(one) != weight_of(other))
        return weight_of(one) > weight_of(other) ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind > other->kind ? 1 : -1;
    return (id > other_id) - (id < other_id);
}

/* Sorts findings about missing processors last, because other programs cause them and their gain is
 * estimated. */
static int compare_listed(const void *left, const void *right)
{
    const struct omptape_finding *one = *(struct omptape_finding *const *)left;
    const struct omptape_finding *other = *(struct omptape_finding *const *)right;
    bool lacks = one->kind == OMPTAPE_FINDING_PREEMPTION;
    return lacks != (other->kind == OMPTAPE_FINDING_PREEMPTION) ? (lacks ? 1 : -1) : compare(one, other);
}

static bool is_explained(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    if (finding->kind == OMPTAPE_FINDING_PREEMPTION && findings->rivals.kind == ANALYSIS_RIVAL_QUOTA)
        return true;
    return findings->processors > 0 && finding->kind != OMPTAPE_FINDING_TINY_REGIONS &&
           omptape_findings_is_of_oversubscription(finding->kind);
}

/* Converts a sum over processes to their mean. */
static uint64_t of_one(const struct omptape_analysis *result, uint64_t ticks)
{
    return ticks / (result->process_count > 0 ? result->process_count : 1);
}

static void add_to_region(const struct analysis_state *state, const struct analysis_region *told,
                          uint64_t gain)
{
    struct analysis_region *region = omptape_analysis_of_region(&state->regions, told);
    if (region != NULL)
        omptape_add(&region->gain, gain);
}

/* Adds a finding's gain to its region, or to all regions that were joined to it. `part` (0 to 1) is the share
 * of the gain that remains. */
static void add_gain_to_regions(const struct analysis_findings *findings,
                                const struct omptape_finding *finding, double part)
{
    struct analysis_state *state = findings->state;
    const struct omptape_finding *end = &findings->list[findings->count];
    if (finding->region == NULL || finding->serial != NULL)
        return;
    const struct analysis_parallel *parallel = omptape_analysis_of_region(&state->parallels, finding->region);
    if (finding->kind == OMPTAPE_FINDING_TINY_REGIONS && parallel != NULL && parallel->tiny_with != NULL) {
        omptape_findings_keep_tiny(findings, finding, part);
        return;
    }
    add_to_region(state, finding->region, omptape_minus(finding->gain, finding->gain_of_others));
    for (const struct omptape_finding *behind = finding + 1; finding->gain_of_others > 0 && behind < end;
         behind++)
        if (omptape_findings_is_joined(behind) && omptape_findings_is_same(finding, behind))
            add_to_region(state, behind->region,
                          omptape_whole(part * (double)of_one(state->result, behind->gain)));
}

/* Returns true if no thread causes more than a quarter of the loop's lateness: each time another thread is
 * the last one. */
static bool changes_its_last(const struct analysis_loop *loop)
{
    enum { MIN_INSTANCES = 20, PART_OF_ONE = 4 };
    uint64_t all = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; loop != NULL && i < loop->threads; i++) {
        omptape_add(&all, loop->thread_list[i].late);
        most = loop->thread_list[i].late > most ? loop->thread_list[i].late : most;
    }
    return loop != NULL && loop->instances >= MIN_INSTANCES && most < all / PART_OF_ONE;
}

/* Returns the factor by which the last of many threads is later than the last of four, if times differ at
 * random. It grows with the logarithm of the number of threads. */
static double lateness_of_last(const struct analysis_loop *loop)
{
    const unsigned few = 2;
    const unsigned log = loop != NULL ? 31U - (unsigned)__builtin_clz(loop->threads | 1) : 0;
    return log > few ? 0.8 + 0.15 * log : 1;
}

static bool is_noise_of(const struct analysis_findings *findings, const struct omptape_finding *finding,
                        double part)
{
    const double time = (double)finding->region->inclusive / (double)findings->state->result->threads;
    return (double)finding->gain < part * time;
}

/* Returns true if the finding is within the usual variation. Threads with equal work differ by memory,
 * frequency and interruptions. The last of many tasks, and processes in a collective operation, also end at
 * different times. */
static bool is_noise(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    enum { NOISE_PART = 20 };
    const double part = 1.0 / (double)NOISE_PART;
    const struct omptape_analysis *result = findings->state->result;
    const struct analysis_loop *loop = omptape_analysis_of_region(&findings->state->loops, finding->region);
    switch (finding->kind) {
    case OMPTAPE_FINDING_IMBALANCE:
        return finding->region != NULL &&
               (is_noise_of(findings, finding, part) ||
                (changes_its_last(loop) && is_noise_of(findings, finding, part * lateness_of_last(loop))));
    case OMPTAPE_FINDING_TASK_CHAIN:
        return finding->region != NULL && is_noise_of(findings, finding, part);
    case OMPTAPE_FINDING_COLLECTIVE_WAIT:
        return omptape_times(finding->gain, NOISE_PART) < omptape_minus(result->end, result->begin) &&
               !omptape_findings_is_for_one(findings->state, finding);
    default:
        return false;
    }
}

/* is_ranked: the finding has a gain of its own. is_said: it is also large enough to be reported. */
static bool is_ranked(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    return !omptape_findings_is_joined(finding) && !is_explained(findings, finding);
}

static bool is_said(const struct analysis_findings *findings, const struct omptape_finding *finding)
{
    const struct omptape_analysis *result = findings->state->result;
    enum { MIN_TAKEN = 20, MIN_GAIN = 100 };
    if (finding->kind == OMPTAPE_FINDING_HANG)
        return true;
    if (finding->spent_wall > 0)
        return finding->spent_wall >= omptape_minus(result->end, result->begin) / MIN_TAKEN;
    return is_ranked(findings, finding) && finding->gain > 0 && !is_noise(findings, finding) &&
           finding->gain >= omptape_minus(result->end, result->begin) / MIN_GAIN;
}

/* Limits the sum of all gains to the wall time. Findings are processed from the largest gain downwards; each
 * gets at most what the previous ones left. */
static void limit_to_wall(struct analysis_findings *findings)
{
    const struct omptape_analysis *result = findings->state->result;
    uint64_t wall = omptape_minus(result->end, result->begin);
    struct omptape_finding **list =
        omptape_calloc((size_t)findings->count + 1, sizeof(struct omptape_finding *));
    uint32_t count = 0;
    if (list == NULL)
        return;
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_ranked(findings, &findings->list[i]))
            list[count++] = &findings->list[i];
    qsort(list, count, sizeof(struct omptape_finding *), compare_listed);
    for (uint32_t i = 0; i < count; i++) {
        struct omptape_finding *finding = list[i];
        const uint64_t gain = of_one(result, finding->gain);
        const uint64_t left = gain < wall ? gain : wall;
        finding->gain_of_others = omptape_analysis_part(of_one(result, finding->gain_of_others), left, gain);
        finding->gain = left;
        wall -= left;
        if (is_said(findings, finding))
            add_gain_to_regions(findings, finding, gain > 0 ? (double)left / (double)gain : 0);
    }
    free(list);
}

void omptape_analysis_findings(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    struct analysis_findings findings = {.state = state, .rivals = omptape_findings_rivals(state)};
    uint32_t kept = 0;
    omptape_findings_add_oversubscription(&findings);
    omptape_findings_add_tiny(&findings);
    omptape_findings_add_chunks(&findings);
    omptape_findings_add_few(&findings);
    add_fine_tasks(&findings);
    add_causes(&findings);
    limit_to_sleep(&findings);
    omptape_findings_add_preemption(&findings);
    omptape_findings_add_system(&findings);
    add_serials(&findings);
    omptape_findings_add_blocked_serials(&findings);
    omptape_findings_add_quota(&findings);
    omptape_findings_add_functions(&findings);
    omptape_findings_add_counted(&findings);
    add_transfers(&findings);
    take_off_nested(&findings);
    omptape_findings_weigh_oversubscription(&findings);
    omptape_findings_join(&findings);
    omptape_findings_attribute_outliers(&findings);
    omptape_findings_attribute_steps(&findings);
    limit_to_wall(&findings);
    omptape_findings_set_outlier_kind(&findings);
    omptape_findings_add_hangs(&findings);
    for (uint32_t i = 0; i < findings.count; i++) {
        struct omptape_finding *finding = &findings.list[i];
        if (!is_said(&findings, finding))
            continue;
        omptape_findings_place(state, finding);
        finding->is_slight = omptape_findings_is_slight(state, finding);
        finding->certainty = omptape_findings_certainty(state, finding);
        findings.list[kept++] = *finding;
    }
    if (kept > 0)
        qsort(findings.list, kept, sizeof(*findings.list), compare);
    result->findings = findings.list;
    result->finding_count = kept;
    for (uint32_t i = 0; i < kept; i++)
        omptape_finding_describe(state, &findings.list[i]);
    omptape_findings_verdict(state);
}
