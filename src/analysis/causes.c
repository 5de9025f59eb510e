/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes of waiting (causes.h). Whoever comes last to a barrier may be late because it had no processor: its
 * causes are kept back until the kernel's next word on that, and the part that it explains becomes
 * preemption.
 */
#include "src/analysis/causes.h"

#include "src/analysis/location.h"
#include "src/analysis/outliers.h"
#include "src/analysis/state.h"
#include "src/core/array.h"

struct analysis_cause *omptape_analysis_cause(struct analysis_state *state, enum omptape_finding_kind kind,
                                              struct analysis_region *region,
                                              const struct analysis_region *parallel)
{
    uint64_t key = (uint64_t)kind << 32 | (region != NULL ? region->definition->id : UINT32_MAX);
    uint64_t around = parallel != NULL ? parallel->definition->id : UINT64_MAX;
    struct analysis_cause *cause =
        omptape_pairs_obtain(&state->causes, &state->arena, key, around, sizeof(*cause));
    if (cause == NULL) {
        state->no_memory = true;
        return NULL;
    }
    cause->kind = kind;
    cause->region = region;
    cause->parallel = parallel;
    cause->charged = region;
    return cause;
}

/* `charged`: what of `waited` is not the region's own time already. */
static void add(struct analysis_cause *cause, uint64_t gain_parts, uint64_t waited, uint64_t charged,
                uint64_t count, uint64_t worst, uint64_t begin, uint64_t end, uint64_t location)
{
    omptape_add(&cause->gain_parts, gain_parts);
    omptape_add(&cause->waited, waited);
    cause->count += count;
    if (cause->charged != NULL)
        omptape_add(&cause->charged->charged, charged);
    if (worst > cause->worst) {
        cause->worst = worst;
        cause->worst_begin = begin;
        cause->worst_end = end;
        cause->worst_location = location;
    }
}

static void charge(const struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                   uint64_t charged, uint64_t threads, uint64_t begin, uint64_t end, uint64_t location)
{
    if (cause == NULL || waited == 0 || threads == 0)
        return;
    add(cause, omptape_times(waited, 256) / threads, waited, charged, 1, waited,
        omptape_analysis_within(state, begin), omptape_analysis_within(state, end), location);
}

void omptape_analysis_charge(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                             uint64_t threads, uint64_t begin, uint64_t end, uint64_t location)
{
    charge(state, cause, waited, waited, threads, begin, end, location);
}

void omptape_analysis_charge_own(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                                 uint64_t threads, uint64_t begin, uint64_t end, uint64_t location)
{
    charge(state, cause, waited, 0, threads, begin, end, location);
}

void omptape_analysis_charge_late(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_cause *cause, const struct analysis_wait *wait)
{
    if (cause == NULL || wait->waited == 0)
        return;
    uint32_t i = 0;
    while (i < location->pending_count &&
           (location->pending[i].cause != cause || location->pending[i].lack != wait->lack))
        i++;
    if (i == location->pending_count) {
        struct analysis_pending *list =
            omptape_array_reserve(location->pending, i + 1, &location->pending_room, sizeof(*list));
        if (list == NULL) {
            state->no_memory = true;
            return;
        }
        location->pending = list;
        list[location->pending_count++] = (struct analysis_pending){.cause = cause, .lack = wait->lack};
    }
    struct analysis_pending *pending = &location->pending[i];
    pending->lead += wait->lead;
    omptape_add(&pending->gain_parts, omptape_times(wait->waited, 256) / wait->threads);
    omptape_add(&pending->waited, wait->waited);
    omptape_add(&pending->charged, wait->is_own ? 0 : wait->waited);
    pending->count += !wait->goes_on;
    if (wait->waited > pending->worst) {
        pending->worst = wait->waited;
        pending->worst_begin = wait->begin;
        pending->worst_end = wait->end;
    }
}

/* What of it the want of a processor explains: `taken` of all leads. Who waited alone would have begun
 * earlier; with a processor at hand the last one of many would have come earlier by what it lacked one. */
static void settle_one(struct analysis_state *state, const struct analysis_location *location,
                       const struct analysis_pending *pending, uint64_t taken, uint64_t leads)
{
    uint64_t id = location->definition->id;
    bool alone = pending->lack == ANALYSIS_LACK_WAITING;
    uint64_t earlier = omptape_analysis_part(pending->lead, taken, leads);
    uint64_t lost = alone ? omptape_analysis_part(pending->gain_parts, earlier, pending->waited)
                          : omptape_analysis_part(pending->gain_parts, taken, leads);
    uint64_t waited = alone ? earlier : omptape_analysis_part(pending->waited, taken, leads);
    uint64_t won = alone ? lost : omptape_analysis_part(omptape_times(pending->lead, 256), taken, leads);
    uint64_t charged = omptape_analysis_part(pending->charged, waited, pending->waited);
    add(pending->cause, omptape_minus(pending->gain_parts, lost), omptape_minus(pending->waited, waited),
        omptape_minus(pending->charged, charged), pending->count, pending->worst, pending->worst_begin,
        pending->worst_end, id);
    struct analysis_cause *cause =
        won == 0 ? NULL
                 : omptape_analysis_cause(state, OMPTAPE_FINDING_PREEMPTION, pending->cause->region,
                                          pending->cause->parallel);
    if (cause != NULL)
        add(cause, won, waited, charged, pending->count, waited, pending->worst_begin, pending->worst_end,
            id);
}

void omptape_analysis_charge_lack(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                                  uint64_t threads, uint64_t location)
{
    const uint64_t gain_parts = omptape_times(waited, 256) / threads;
    struct analysis_cause *lack =
        omptape_analysis_cause(state, OMPTAPE_FINDING_PREEMPTION, cause->region, cause->parallel);
    if (lack == NULL)
        return;
    lack->charged = cause->charged;
    cause->gain_parts = omptape_minus(cause->gain_parts, gain_parts);
    cause->waited = omptape_minus(cause->waited, waited);
    add(lack, gain_parts, waited, 0, 1, waited, cause->worst_begin, cause->worst_end, location);
}

struct analysis_late *omptape_analysis_note_late(struct analysis_state *state, enum omptape_finding_kind kind,
                                                 const struct analysis_region *region, uint64_t process,
                                                 uint64_t waited)
{
    const uint64_t key = (uint64_t)kind << 32 | region->definition->id;
    struct analysis_late *late =
        omptape_pairs_obtain(&state->late, &state->arena, key, process, sizeof(*late));
    if (late == NULL) {
        state->no_memory = true;
        return NULL;
    }
    late->process = process;
    omptape_add(&late->waited, waited);
    return late;
}

static uint64_t leads_of(const struct analysis_location *location, enum analysis_lack lack)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < location->pending_count; i++)
        sum += location->pending[i].lack == lack ? location->pending[i].lead : 0;
    return sum;
}

/* Who begins late, and stood in line, did so for that, whatever it is taken to have done meanwhile: what work
 * that others waited for leaves of it. */
void omptape_analysis_settle(struct analysis_state *state, struct analysis_location *location,
                             struct analysis_queued queued)
{
    uint64_t leads[ANALYSIS_LACKS];
    uint64_t explained[ANALYSIS_LACKS];
    for (unsigned lack = 0; lack < ANALYSIS_LACKS; lack++)
        leads[lack] = leads_of(location, lack);
    uint64_t work = leads[ANALYSIS_LACK_AT_WORK];
    uint64_t left = queued.waiting + (queued.working > work ? queued.working - work : 0);
    uint64_t start = leads[ANALYSIS_LACK_AT_START] < left ? leads[ANALYSIS_LACK_AT_START] : left;
    explained[ANALYSIS_LACK_AT_WORK] = queued.working < work ? queued.working : work;
    explained[ANALYSIS_LACK_AT_START] = start;
    explained[ANALYSIS_LACK_WAITING] = queued.waiting > start ? queued.waiting - start : 0;
    for (uint32_t i = 0; i < location->pending_count; i++) {
        enum analysis_lack lack = location->pending[i].lack;
        settle_one(state, location, &location->pending[i],
                   explained[lack] < leads[lack] ? explained[lack] : leads[lack], leads[lack]);
    }
    location->pending_count = 0;
}

static uint64_t busy_until(const struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    uint8_t bucket = top != NULL ? top->manner.bucket : location->outside;
    return omptape_analysis_busy(location) +
           (omptape_buckets[bucket].work && time > location->booked ? time - location->booked : 0);
}

static uint64_t serial_until(const struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    uint8_t bucket = top != NULL ? top->manner.bucket : location->outside;
    return location->thread->parts[OMPTAPE_BUCKET_SERIAL] +
           (bucket == OMPTAPE_BUCKET_SERIAL && time > location->booked ? time - location->booked : 0);
}

/* Of the time without a processor at work, what lay outside of parallel regions: by their lengths. */
static void book_serial(struct analysis_state *state, const struct analysis_location *location,
                        const struct analysis_told *before, double working)
{
    uint64_t serial = location->told.serial - before->serial;
    uint64_t work = location->told.busy - before->busy;
    double queued = work > 0 ? working / state->ns_per_tick * (double)serial / (double)work : 0;
    state->result->processes[location->process].serial_queued +=
        omptape_whole(queued < (double)serial ? queued : (double)serial);
}

/* What a thread did since the kernel's last word, in ns. */
struct analysis_spell {
    double work;     /* that something else may have interrupted, */
    double unbroken; /* ...and in stretches too short for that */
    double waiting;
    double running;
    double queued;
};

double omptape_analysis_slept_at_work(double slept, double waiting)
{
    double surely = slept > waiting ? slept - waiting : 0;
    return slept > 0 ? surely + (slept - surely) * surely / slept : 0;
}

/* Of the time that the thread had no processor, what it was at work. It stands in line when it spins in a
 * barrier, too, and then lets others go first: such time counts twice. What it neither ran nor stood in line
 * it slept. But whatever the work took beyond the time that the thread ran or slept in it, it had no
 * processor. */
static double queued_at_work(const struct analysis_spell *spell)
{
    double all = spell->work + spell->unbroken + spell->waiting;
    double ran = all > spell->queued ? all - spell->queued : 0;
    double slept = spell->running < ran ? ran - spell->running : 0;
    double at_work = omptape_analysis_slept_at_work(slept, spell->waiting);
    double work = spell->work > at_work ? spell->work - at_work : 0;
    double spun = spell->waiting > slept - at_work ? spell->waiting - (slept - at_work) : 0;
    double share = work + spun > 0 ? spell->queued * work / (work + 2 * spun) : 0;
    double least = work + spell->unbroken - (spell->running < ran ? spell->running : ran);
    double most = spell->queued < work ? spell->queued : work;
    share = share > least ? share : least;
    return share < most ? share : most;
}

/* Of what the kernel counted between two of its words the part that lies within what is looked at. Its first
 * word counts what was before the thread's first event, too: no more than there is time. */
static uint64_t within(uint64_t ns, uint64_t inside, uint64_t all, uint64_t most)
{
    const uint64_t part = inside == all ? ns : omptape_analysis_part(ns, inside, all);
    return part < most ? part : most;
}

void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns)
{
    const struct analysis_told before = location->told;
    const uint64_t now = omptape_analysis_within(state, time);
    if (location->thread == NULL)
        return;
    location->told = (struct analysis_told){.time = time,
                                            .running_ns = running_ns,
                                            .queued_ns = queued_ns,
                                            .busy = busy_until(location, now),
                                            .unbroken = omptape_analysis_busy(location) - location->long_busy,
                                            .serial = serial_until(location, now)};
    if (running_ns < before.running_ns || queued_ns < before.queued_ns) {
        omptape_analysis_settle(state, location, (struct analysis_queued){0});
        return;
    }
    uint64_t work = location->told.busy - before.busy;
    uint64_t unbroken = location->told.unbroken - before.unbroken;
    const uint64_t all = omptape_analysis_clipped(state, before.time, time);
    const uint64_t since = omptape_minus(time, before.time);
    const uint64_t longest = omptape_whole((double)all * state->ns_per_tick);
    const uint64_t running = within(running_ns - before.running_ns, all, since, longest);
    const uint64_t queued = within(queued_ns - before.queued_ns, all, since, longest - running);
    unbroken = unbroken < work ? unbroken : work;
    const struct analysis_spell spell = {
        .work = (double)(work - unbroken) * state->ns_per_tick,
        .unbroken = (double)unbroken * state->ns_per_tick,
        .waiting = (double)(all > work ? all - work : 0) * state->ns_per_tick,
        .running = (double)running,
        .queued = (double)queued,
    };
    double working = queued_at_work(&spell);
    omptape_outliers_told(state, location, before.time, time, queued_ns - before.queued_ns);
    omptape_add(&location->thread->running_ns, running);
    omptape_add(&location->thread->queued_ns, queued);
    location->thread->queued_work_ns += omptape_whole(working);
    omptape_add(&location->thread->told, all);
    book_serial(state, location, &before, working);
    omptape_analysis_settle(
        state, location,
        (struct analysis_queued){.working = omptape_whole(working / state->ns_per_tick),
                                 .waiting = omptape_whole((spell.queued - working) / state->ns_per_tick)});
}

uint64_t omptape_lost_for_want_of_processor(const struct analysis_state *state,
                                            const struct analysis_region *region)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->kind == OMPTAPE_FINDING_PREEMPTION && cause->region == region)
            omptape_add(&sum, cause->gain_parts / 256);
    }
    return sum;
}
