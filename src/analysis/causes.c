/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes of waiting (state.h). Whoever comes last to a barrier may be late because it had no processor: its
 * causes are kept back until the kernel's next word on that, and the part that it explains becomes
 * preemption.
 */
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

static void add(struct analysis_cause *cause, uint64_t gain_parts, uint64_t waited, uint64_t count,
                uint64_t worst, uint64_t begin, uint64_t end, uint64_t location)
{
    cause->gain_parts += gain_parts;
    cause->waited += waited;
    cause->count += count;
    if (cause->charged != NULL)
        cause->charged->charged += waited;
    if (worst > cause->worst) {
        cause->worst = worst;
        cause->worst_begin = begin;
        cause->worst_end = end;
        cause->worst_location = location;
    }
}

void omptape_analysis_charge(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                             uint64_t threads, uint64_t begin, uint64_t end, uint64_t location)
{
    if (cause == NULL || waited == 0 || threads == 0 || end < state->from || begin > state->to)
        return;
    add(cause, waited * 256 / threads, waited, 1, waited, begin, end, location);
}

void omptape_analysis_charge_late(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_cause *cause, const struct analysis_wait *wait)
{
    if (cause == NULL || wait->waited == 0 || wait->end < state->from || wait->begin > state->to)
        return;
    uint32_t i = 0;
    while (i < location->pending_count &&
           (location->pending[i].cause != cause || location->pending[i].alone != wait->alone))
        i++;
    if (i == location->pending_count) {
        struct analysis_pending *list =
            omptape_array_reserve(location->pending, i + 1, &location->pending_room, sizeof(*list));
        if (list == NULL) {
            state->no_memory = true;
            return;
        }
        location->pending = list;
        list[location->pending_count++] = (struct analysis_pending){.cause = cause, .alone = wait->alone};
    }
    struct analysis_pending *pending = &location->pending[i];
    pending->lead += wait->lead;
    pending->gain_parts += wait->waited * 256 / wait->threads;
    pending->waited += wait->waited;
    pending->count++;
    if (wait->waited > pending->worst) {
        pending->worst = wait->waited;
        pending->worst_begin = wait->begin;
        pending->worst_end = wait->end;
    }
}

/* What of it the want of a processor explains: `taken` of all leads. */
static void settle_one(struct analysis_state *state, const struct analysis_location *location,
                       const struct analysis_pending *pending, uint64_t taken, uint64_t leads)
{
    uint64_t id = location->definition->id;
    uint64_t lost = omptape_analysis_part(pending->gain_parts, taken, leads);
    uint64_t waited = omptape_analysis_part(pending->waited, taken, leads);
    /* With a processor at hand the last one would have come earlier by what it lacked one. */
    uint64_t won = pending->alone ? lost : omptape_analysis_part(pending->lead * 256, taken, leads);
    add(pending->cause, pending->gain_parts - lost, pending->waited - waited, pending->count, pending->worst,
        pending->worst_begin, pending->worst_end, id);
    struct analysis_cause *cause =
        won == 0 ? NULL
                 : omptape_analysis_cause(state, OMPTAPE_FINDING_PREEMPTION, pending->cause->region,
                                          pending->cause->parallel);
    if (cause != NULL)
        add(cause, won, waited, pending->count, waited, pending->worst_begin, pending->worst_end, id);
}

/* `queued` ticks of the time since the last call the thread had no processor. */
void omptape_analysis_settle(struct analysis_state *state, struct analysis_location *location,
                             uint64_t queued)
{
    uint64_t leads = 0;
    for (uint32_t i = 0; i < location->pending_count; i++)
        leads += location->pending[i].lead;
    for (uint32_t i = 0; i < location->pending_count; i++)
        settle_one(state, location, &location->pending[i], queued < leads ? queued : leads, leads);
    location->pending_count = 0;
}

void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location,
                            uint64_t running_ns, uint64_t queued_ns)
{
    if (location->thread == NULL)
        return;
    uint64_t queued = queued_ns > location->last_queued ? queued_ns - location->last_queued : 0;
    location->last_queued = queued_ns;
    location->thread->running_ns = running_ns;
    location->thread->queued_ns = queued_ns;
    omptape_analysis_settle(state, location, (uint64_t)((double)queued / state->ns_per_tick));
}
