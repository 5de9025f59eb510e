/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Distributes counters among regions.
 */
#include "src/analysis/counted.h"

#include "src/analysis/location.h"
#include "src/core/array.h"
#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for a metric class of threads' counters, recognised by its value types (docs/mapping.md). */
static bool is_of_counters(const struct omptape_reader *reader, const struct omptape_definition *class)
{
    bool counters = class->kind == OMPTAPE_DEF_METRIC && class->value[0] == 0 && class->member_count >= 2;
    for (uint32_t i = 0; i < class->member_count && counters; i++) {
        const struct omptape_definition *member =
            omptape_reader_find(reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[i]);
        counters = member != NULL && member->value[0] == OTF2_TYPE_INT64 &&
                   member->value[1] == OTF2_METRIC_ACCUMULATED_START;
    }
    return counters;
}

/* Returns the counter's index; OMPTAPE_MAX_COUNTERS if it is not in the list. */
static uint32_t find_counter(const struct omptape_analysis *result, const char *name)
{
    uint32_t i = 0;
    while (i < result->counter_count && strcmp(result->counters[i], name) != 0)
        i++;
    return i < result->counter_count ? i : OMPTAPE_MAX_COUNTERS;
}

void omptape_counted_list(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    const struct omptape_reader *reader = state->reader;
    for (size_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *class = reader->definitions[i];
        if (!is_of_counters(reader, class))
            continue;
        for (uint32_t k = 0; k < class->member_count; k++) {
            const char *name = omptape_reader_name(reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[k]);
            if (result->counter_count < OMPTAPE_MAX_COUNTERS &&
                find_counter(result, name) == OMPTAPE_MAX_COUNTERS)
                result->counters[result->counter_count++] = name;
        }
    }
    state->counts = result->counter_count > 0;
}

void omptape_counted_note(struct analysis_location *location, const struct analysis_account *account,
                          uint64_t spent)
{
    struct analysis_counting *counting = &location->counting;
    struct analysis_region *region = account->blamed != NULL ? account->blamed : account->region;
    const uint32_t number = omptape_analysis_region_state(region)->number;
    if (!OMPTAPE_RESERVE_CLEARED(counting->times, number + 1, &counting->capacity) ||
        !OMPTAPE_RESERVE(counting->regions, counting->count + 1, &counting->region_capacity))
        return;
    if (counting->times[number] == 0 && spent > 0)
        counting->regions[counting->count++] = region;
    counting->times[number] += spent;
}

static void add_part(struct analysis_counts *sums, const struct analysis_counts *counted, double part)
{
    for (uint32_t i = 0; i < OMPTAPE_MAX_COUNTERS; i++)
        omptape_add(&sums->sums[i], omptape_whole((double)counted->sums[i] * part + 0.5));
}

/* Distributes the difference of two readings. A waiting thread may run, too: its part has no region. */
static void share_out(const struct analysis_state *state, struct analysis_counting *counting)
{
    const double on_processor = (double)counting->fresh.sums[0] / state->ns_per_tick;
    double work = 0;
    for (uint32_t i = 0; i < counting->count; i++)
        work += (double)counting->times[omptape_analysis_region_state(counting->regions[i])->number];
    const double all = on_processor > work ? on_processor : work;
    for (uint32_t i = 0; i < counting->count; i++) {
        uint64_t *time = &counting->times[omptape_analysis_region_state(counting->regions[i])->number];
        if (state->inside)
            add_part(&counting->regions[i]->counted, &counting->fresh, (double)*time / all);
        *time = 0;
    }
    counting->count = 0;
}

/* Computes the difference to the previous reading. */
static void take_values(const struct analysis_state *state, struct analysis_counting *counting,
                        const struct omptape_event *event)
{
    const struct omptape_definition *class = omptape_reader_metric_class(state->reader, event->refs[0].id);
    counting->fresh = (struct analysis_counts){{0}};
    for (uint32_t i = 0; class != NULL && i < event->count && i < class->member_count; i++) {
        const char *name = omptape_reader_name(state->reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[i]);
        const uint32_t number = find_counter(state->result, name);
        if (number == OMPTAPE_MAX_COUNTERS)
            continue;
        const uint64_t now = event->values[i].unsigned_int;
        counting->fresh.sums[number] = omptape_minus(now, counting->last.sums[number]);
        counting->last.sums[number] = now;
    }
    counting->fresh_time = event->time;
}

void omptape_counted_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event)
{
    struct analysis_counting *counting = &location->counting;
    OTF2_Type type;
    OTF2_AttributeValue value;
    take_values(state, counting, event);
    share_out(state, counting);
    if (!state->inside || location->thread == NULL)
        return;
    omptape_counted_add(&location->thread->counted, &counting->fresh);
    if (omptape_event_attribute(event, state->reader->attribute_ids[READER_COUNTED_IN], &type, &value) &&
        type == OTF2_TYPE_CALLING_CONTEXT)
        omptape_sampled_count(state, location, event->time, value.callingContextRef);
}

const struct analysis_counts *omptape_counted_at(const struct analysis_location *location, uint64_t time)
{
    const struct analysis_counting *counting = &location->counting;
    return counting->fresh_time == time && time != 0 ? &counting->fresh : NULL;
}

void omptape_counted_add(struct analysis_counts *sums, const struct analysis_counts *more)
{
    for (uint32_t i = 0; i < OMPTAPE_MAX_COUNTERS; i++)
        omptape_add(&sums->sums[i], more->sums[i]);
}

void omptape_counted_free(struct analysis_location *location)
{
    free(location->counting.times);
    free(location->counting.regions);
    location->counting = (struct analysis_counting){.times = NULL};
}
