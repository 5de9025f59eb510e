/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums causes of waiting (causes.h). The last member at a barrier may be late because it had no processor.
 * Its causes are therefore pending until the next scheduler reading, which may turn them to preemption.
 */
#include "src/analysis/causes.h"

#include "src/analysis/location.h"
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
    if (cause == NULL)
        return NULL;
    cause->kind = kind;
    cause->region = region;
    cause->parallel = parallel;
    cause->charged = region;
    return cause;
}

/* `charged` is the part of `waited` that is not the region's own time. */
static void add(struct analysis_cause *cause, uint64_t gain_parts, uint64_t waited, uint64_t charged,
                uint64_t count, struct analysis_worst worst)
{
    omptape_add(&cause->gain_parts, gain_parts);
    omptape_add(&cause->waited, waited);
    cause->count += count;
    if (cause->charged != NULL)
        omptape_add(&cause->charged->charged, charged);
    (void)omptape_keep_worst(&cause->worst, &worst);
}

static void charge(const struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                   uint64_t charged, uint64_t threads, uint64_t begin, uint64_t end, uint64_t location)
{
    if (cause == NULL || waited == 0 || threads == 0)
        return;
    const struct analysis_worst worst = {waited, omptape_analysis_within(state, begin),
                                         omptape_analysis_within(state, end), location};
    add(cause, omptape_times(waited, 256) / threads, waited, charged, 1, worst);
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

void omptape_analysis_charge_late(struct analysis_location *location, struct analysis_cause *cause,
                                  const struct analysis_wait *wait)
{
    if (cause == NULL || wait->waited == 0)
        return;
    uint32_t i = 0;
    while (i < location->pending.count && (location->pending.list[i].cause != cause ||
                                           location->pending.list[i].preempted != wait->preempted))
        i++;
    if (i == location->pending.count) {
        if (!OMPTAPE_RESERVE(location->pending.list, i + 1, &location->pending.capacity))
            return;
        location->pending.list[location->pending.count++] =
            (struct analysis_pending_cause){.cause = cause, .preempted = wait->preempted};
    }
    struct analysis_pending_cause *pending = &location->pending.list[i];
    pending->lead += wait->lead;
    pending->excess += wait->excess;
    pending->usual += wait->usual;
    omptape_add(&pending->gain_parts, omptape_times(wait->waited, 256) / wait->threads);
    omptape_add(&pending->waited, wait->waited);
    omptape_add(&pending->charged, wait->is_own ? 0 : wait->waited);
    pending->count += !wait->continues;
    (void)omptape_keep_worst(&pending->worst, &(struct analysis_worst){wait->waited, wait->begin, wait->end,
                                                                       location->definition->id});
}

static void charge_part(struct analysis_state *state, const struct analysis_pending_cause *pending,
                        enum omptape_finding_kind kind, uint64_t gain_parts, uint64_t waited)
{
    struct analysis_cause *cause =
        gain_parts == 0
            ? NULL
            : omptape_analysis_cause(state, kind, pending->cause->region, pending->cause->parallel);
    struct analysis_worst worst = pending->worst;
    worst.ticks = kind == OMPTAPE_FINDING_PREEMPTION ? waited : 0;
    if (cause != NULL)
        add(cause, gain_parts, waited, omptape_analysis_part(pending->charged, waited, pending->waited),
            pending->count, worst);
}

/* Splits a pending cause by what the missing processor explains. A thread that waited itself would
 * have found work earlier. The last of several members would have arrived earlier by the time without a
 * processor. Blocked time beyond what the others usually have in this region also made it late. */
static void split_cause(struct analysis_state *state, const struct analysis_pending_cause *pending,
                        uint64_t taken, uint64_t leads, double blocked)
{
    bool alone = pending->preempted == ANALYSIS_PREEMPTED_WAITING;
    uint64_t earlier = omptape_analysis_part(pending->lead, taken, leads);
    uint64_t lost = alone ? omptape_analysis_part(pending->gain_parts, earlier, pending->waited)
                          : omptape_analysis_part(pending->gain_parts, taken, leads);
    uint64_t waited = alone ? earlier : omptape_analysis_part(pending->waited, taken, leads);
    uint64_t won = alone ? lost : omptape_analysis_part(omptape_times(pending->lead, 256), taken, leads);
    uint64_t slept = omptape_whole((double)omptape_minus(pending->gain_parts, lost) * blocked);
    uint64_t slept_waited = omptape_whole((double)omptape_minus(pending->waited, waited) * blocked);
    charge_part(state, pending, OMPTAPE_FINDING_PREEMPTION, won, waited);
    charge_part(state, pending, OMPTAPE_FINDING_BLOCKED, slept, slept_waited);
    struct analysis_worst worst = pending->worst;
    worst.ticks = blocked > 0.5 ? 0 : worst.ticks;
    lost += slept;
    waited += slept_waited;
    add(pending->cause, omptape_minus(pending->gain_parts, lost), omptape_minus(pending->waited, waited),
        omptape_minus(pending->charged, omptape_analysis_part(pending->charged, waited, pending->waited)),
        pending->count, worst);
}

void omptape_analysis_charge_preemption(struct analysis_state *state, struct analysis_cause *cause,
                                        uint64_t waited, uint64_t threads, uint64_t location)
{
    const uint64_t gain_parts = omptape_times(waited, 256) / threads;
    struct analysis_cause *preempted =
        omptape_analysis_cause(state, OMPTAPE_FINDING_PREEMPTION, cause->region, cause->parallel);
    if (preempted == NULL)
        return;
    preempted->charged = cause->charged;
    cause->gain_parts = omptape_minus(cause->gain_parts, gain_parts);
    cause->waited = omptape_minus(cause->waited, waited);
    const struct analysis_worst worst = {waited, cause->worst.begin, cause->worst.end, location};
    add(preempted, gain_parts, waited, 0, 1, worst);
}

struct analysis_late *omptape_analysis_note_late(struct analysis_state *state, enum omptape_finding_kind kind,
                                                 const struct analysis_region *region, uint64_t process,
                                                 uint64_t waited)
{
    const uint64_t key = (uint64_t)kind << 32 | region->definition->id;
    struct analysis_late *late =
        omptape_pairs_obtain(&state->late, &state->arena, key, process, sizeof(*late));
    if (late == NULL)
        return NULL;
    late->process = process;
    omptape_add(&late->waited, waited);
    return late;
}

/* Returns how long others waited for the thread to begin or to go on, as mean over the team. */
static uint64_t waited_for_start(const struct analysis_location *location)
{
    uint64_t parts = 0;
    for (uint32_t i = 0; i < location->pending.count; i++)
        if (location->pending.list[i].preempted == ANALYSIS_PREEMPTED_STARTING)
            omptape_add(&parts, location->pending.list[i].gain_parts);
    return parts / 256;
}

static uint64_t leads_of(const struct analysis_location *location, enum analysis_preempted preempted)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < location->pending.count; i++)
        sum += location->pending.list[i].preempted == preempted ? location->pending.list[i].lead : 0;
    return sum;
}

/* Returns the share (0 to 1) of the thread's excess work in which it was blocked longer than the others. */
static double blocked_share(const struct analysis_location *location, double blocked)
{
    double excess = 0;
    double usual = 0;
    for (uint32_t i = 0; i < location->pending.count; i++) {
        excess += (double)location->pending.list[i].excess;
        usual += (double)location->pending.list[i].usual;
    }
    double more = blocked - usual;
    return excess <= 0 || more <= 0 ? 0 : more < excess ? more / excess : 1;
}

/* Distributes the time without a processor among the pending causes. Runnable time during work explains
 * late work. The rest of it, and runnable time during waits, explain late starts. What remains of the
 * latter explains the thread's own waits. */
void omptape_analysis_resolve_pending(struct analysis_state *state, struct analysis_location *location,
                                      struct analysis_off_cpu lacked)
{
    uint64_t leads[ANALYSIS_PREEMPTED_KINDS];
    uint64_t explained[ANALYSIS_PREEMPTED_KINDS];
    double blocked = blocked_share(location, (double)lacked.blocked);
    for (unsigned preempted = 0; preempted < ANALYSIS_PREEMPTED_KINDS; preempted++)
        leads[preempted] = leads_of(location, preempted);
    const uint64_t waited = waited_for_start(location);
    omptape_add(&state->result->processes[location->process].late_queued,
                lacked.waiting < waited ? lacked.waiting : waited);
    uint64_t work = leads[ANALYSIS_PREEMPTED_WORKING];
    uint64_t left = lacked.waiting + (lacked.working > work ? lacked.working - work : 0);
    uint64_t start = leads[ANALYSIS_PREEMPTED_STARTING] < left ? leads[ANALYSIS_PREEMPTED_STARTING] : left;
    explained[ANALYSIS_PREEMPTED_WORKING] = lacked.working < work ? lacked.working : work;
    explained[ANALYSIS_PREEMPTED_STARTING] = start;
    explained[ANALYSIS_PREEMPTED_WAITING] = lacked.waiting > start ? lacked.waiting - start : 0;
    for (uint32_t i = 0; i < location->pending.count; i++) {
        enum analysis_preempted preempted = location->pending.list[i].preempted;
        split_cause(state, &location->pending.list[i],
                    explained[preempted] < leads[preempted] ? explained[preempted] : leads[preempted],
                    leads[preempted], location->pending.list[i].excess > 0 ? blocked : 0);
    }
    location->pending.count = 0;
}

uint64_t omptape_analysis_preemption_wall(const struct analysis_state *state,
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
