/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums samples. Called by the pass for each sample, and by serial.c.
 */
#include "src/analysis/sampled.h"
#include "src/analysis/location.h"

#include "src/analysis/phases.h"
#include "src/core/array.h"
#include "src/core/sort.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

static struct analysis_sampled *obtain(struct analysis_state *state, struct omptape_pairs *table,
                                       uint64_t high, uint64_t context)
{
    const struct omptape_definition *definition =
        omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, context);
    struct analysis_sampled *sum =
        definition != NULL ? omptape_pairs_obtain(table, &state->result->arena, high, context, sizeof(*sum))
                           : NULL;
    if (definition == NULL)
        return NULL;
    if (sum != NULL)
        sum->context = definition;
    return sum;
}

struct analysis_sampled *omptape_sampled_in_region(struct analysis_state *state,
                                                   struct analysis_region *region, uint64_t context)
{
    struct analysis_sampled *sum =
        obtain(state, &state->sampled, omptape_analysis_region_id(region), context);
    if (sum != NULL)
        sum->region = region;
    return sum;
}

struct analysis_sampled *omptape_sampled_in_serial(struct analysis_state *state,
                                                   const struct analysis_serial *serial, uint64_t context)
{
    const uint64_t key = omptape_analysis_region_id(serial->after) << 32 |
                         (omptape_analysis_region_id(serial->before) & UINT32_MAX);
    struct analysis_sampled *sum = obtain(state, &state->serial_sampled, key, context);
    if (sum != NULL)
        sum->serial = serial;
    return sum;
}

struct analysis_sampled *omptape_sampled_in_other(struct analysis_state *state, uint64_t location,
                                                  uint64_t context)
{
    const struct omptape_reader *reader = state->reader;
    const struct omptape_definition *name =
        omptape_reader_location_property(reader, location, OMPTAPE_LOCATION_OTHER_THREAD, OTF2_TYPE_STRING);
    struct analysis_sampled *sum =
        name != NULL ? obtain(state, &state->other_sampled, location, context) : NULL;
    if (sum != NULL)
        sum->thread = omptape_reader_string(reader, name->value[1]);
    return sum;
}

/* Keeps a sample until its serial part ends and is thereby known. */
static void keep(struct analysis_location *location, uint64_t context)
{
    struct analysis_kept_samples *kept = &location->serial_samples;
    (void)OMPTAPE_APPEND(kept->contexts, kept->count, kept->capacity, (uint32_t)context);
}

/* Returns the construct of a sample. For the body of a critical section it is the body itself, because a
 * thread that sleeps there holds the lock. */
static struct analysis_region *region_of(const struct analysis_frame *top)
{
    const bool is_body = top != NULL && (top->region->kind == OMPTAPE_REGION_CRITICAL_SBLOCK ||
                                         top->region->kind == OMPTAPE_REGION_ATOMIC_SBLOCK ||
                                         top->region->kind == OMPTAPE_REGION_ORDERED_SBLOCK);
    return top == NULL ? NULL : is_body ? top->region : top->account->blamed;
}

static bool has_observed(struct omptape_analysis_observed *const *list, uint32_t count,
                         const struct omptape_analysis_observed *observed)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == observed)
            return true;
    return false;
}

/* Reports a sample to the observer, with the innermost regions of a deep stack. */
static void notify_observer(const struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event)
{
    enum { MAX_REGIONS = 32 };
    const struct omptape_analysis_observer *observer = state->observer;
    struct omptape_analysis_observed *regions[MAX_REGIONS];
    uint32_t count = 0;
    for (uint32_t depth = location->replay.depth; depth > 0 && count < MAX_REGIONS; depth--) {
        struct analysis_frame *frame = &analysis_frames(location)[depth - 1];
        struct omptape_analysis_observed *observed = &omptape_analysis_region_state(frame->region)->observed;
        if (!has_observed(regions, count, observed))
            regions[count++] = observed;
    }
    observer->sampled(observer->data, &location->observed, event->time, event->refs[0].id, regions, count);
}

static void keep_counts(struct analysis_location *location, uint64_t context,
                        const struct analysis_counts *counts)
{
    struct analysis_kept_samples *kept = &location->serial_samples;
    (void)OMPTAPE_APPEND(kept->counted, kept->counted_count, kept->counted_capacity,
                         (struct analysis_kept_counts){.context = (uint32_t)context, .counts = *counts});
}

static unsigned bucket_of(const struct analysis_location *location)
{
    return location->top != NULL ? location->top->account->time_class.bucket : location->outside;
}

/* Returns true if the thread is in a serial part, which is only identified at its end. */
static bool is_serial(const struct analysis_location *location)
{
    return bucket_of(location) == OMPTAPE_BUCKET_SERIAL && location->teams.depth == 0 &&
           location->initial == NULL;
}

void omptape_sampled_count(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t context)
{
    const struct analysis_counts *counts = omptape_counted_at(location, time);
    if (counts == NULL || !omptape_buckets[bucket_of(location)].work)
        return;
    if (is_serial(location)) {
        keep_counts(location, context, counts);
        return;
    }
    struct analysis_sampled *sum = omptape_sampled_in_region(state, region_of(location->top), context);
    if (sum != NULL)
        omptape_counted_add(&sum->counted, counts);
}

void omptape_sampled_event(struct analysis_state *state, struct analysis_location *location,
                           const struct omptape_event *event)
{
    const struct analysis_frame *top = location->top;
    location->events++;
    if (event->time > location->last)
        location->last = event->time;
    if (!state->inside ||
        omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id) == NULL)
        return;
    if (state->observer != NULL && state->observer->sampled != NULL)
        notify_observer(state, location, event);
    if (omptape_buckets[bucket_of(location)].work || omptape_buckets[bucket_of(location)].off_cpu)
        omptape_phases_sampled(state, location, event->refs[0].id);
    omptape_sampled_count(state, location, event->time, event->refs[0].id);
    if (is_serial(location)) {
        keep(location, event->refs[0].id);
        return;
    }
    struct analysis_sampled *sum = omptape_sampled_in_region(state, region_of(top), event->refs[0].id);
    if (sum == NULL)
        return;
    sum->count++;
    sum->waiting += !omptape_buckets[bucket_of(location)].work;
}

void omptape_sampled_event_of_other(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event)
{
    if (!state->inside)
        return;
    if (state->observer != NULL && state->observer->sampled != NULL)
        notify_observer(state, location, event);
    struct analysis_sampled *sum =
        omptape_sampled_in_other(state, location->definition->id, event->refs[0].id);
    if (sum != NULL)
        sum->count++;
}

void omptape_sampled_end_serial(struct analysis_state *state, struct analysis_location *location,
                                const struct analysis_serial *serial)
{
    struct analysis_kept_samples *kept = &location->serial_samples;
    for (uint32_t i = 0; i < kept->count; i++) {
        struct analysis_sampled *sum = serial != NULL
                                           ? omptape_sampled_in_serial(state, serial, kept->contexts[i])
                                           : omptape_sampled_in_region(state, NULL, kept->contexts[i]);
        if (sum != NULL)
            sum->count++;
    }
    for (uint32_t i = 0; i < kept->counted_count; i++) {
        const struct analysis_kept_counts *counted = &kept->counted[i];
        struct analysis_sampled *sum = serial != NULL
                                           ? omptape_sampled_in_serial(state, serial, counted->context)
                                           : omptape_sampled_in_region(state, NULL, counted->context);
        if (sum != NULL)
            omptape_counted_add(&sum->counted, &counted->counts);
    }
    kept->count = 0;
    kept->counted_count = 0;
}

/* Returns true if the innermost frame of the context marks a blocked thread. */
static bool is_blocked(const struct analysis_state *state, const struct omptape_definition *context)
{
    const struct omptape_definition *function =
        omptape_reader_find(state->reader, OMPTAPE_DEF_REGION, context->refs[0].id);
    return function != NULL &&
           (strcmp(omptape_reader_string(state->reader, function->refs[0].id), OMPTAPE_FRAME_BLOCKED) == 0 ||
            strcmp(omptape_reader_string(state->reader, function->refs[0].id), OMPTAPE_FRAME_STOPPED) == 0);
}

static int compare(const void *left, const void *right)
{
    const struct analysis_sampled *one = *(const struct analysis_sampled *const *)left;
    const struct analysis_sampled *other = *(const struct analysis_sampled *const *)right;
    const uint64_t id = omptape_analysis_region_id(one->region);
    const uint64_t other_id = omptape_analysis_region_id(other->region);
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    if (id != other_id)
        return id > other_id ? 1 : -1;
    return (one->context->id > other->context->id) - (one->context->id < other->context->id);
}

static void list(struct analysis_state *state, const struct omptape_pairs *table)
{
    struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < table->count; i++) {
        struct analysis_sampled *sum = table->list[i].value;
        if (is_blocked(state, sum->context)) {
            sum->blocked = sum->count;
            sum->count = sum->waiting = 0;
        }
        result->sampled[result->sampled_count++] = sum;
    }
}

bool omptape_sampled_finish(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    const size_t count =
        (size_t)state->sampled.count + state->serial_sampled.count + state->other_sampled.count;
    result->sampled = omptape_calloc(count + 1, sizeof(struct analysis_sampled *));
    if (result->sampled == NULL)
        return false;
    list(state, &state->sampled);
    list(state, &state->serial_sampled);
    list(state, &state->other_sampled);
    omptape_sort(result->sampled, result->sampled_count, sizeof(struct analysis_sampled *), compare);
    return true;
}
