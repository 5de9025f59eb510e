/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the profile (profile.h). Receives the archive's events as observer and queues them until their
 * order is final. Defines what they refer to, and passes them to the analysis.
 */
#include "writers/profile/profile.h"

#include "src/analysis/location.h"
#include "src/analysis/reduce/endings.h"
#include "src/analysis/reduce/pass.h"
#include "src/analysis/reduce/profile.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/archive/otf2_files.h"
#include "src/folder/atomic_file.h"
#include "writers/profile/definitions.h"
#include "writers/profile/order.h"
#include "writers/state/sched.h"
#include "writers/translate/teams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most events that wait for late ends of workers. */
enum { MAX_WAITING_EVENTS = 1 << 16 };

/* Attributes of a waiting Enter or Leave, or values of a Metric. */
struct profile_details {
    struct profile_details *next; /* Next unused entry. */
    struct omptape_event_attributes attributes;
};

struct omptape_profile {
    struct profile_order order;
    struct omptape_profile_defs defs;
    struct omptape_event event; /* Event for the analysis, with its arrays. */
    OTF2_Type types[OMPTAPE_EVENT_ATTRIBUTES];
    OTF2_MetricValue values[OMPTAPE_EVENT_ATTRIBUTES];
    struct omptape_arena arena; /* Memory of the details. */
    struct profile_details *free;
    struct omptape_analysis_observer observer;
    struct omptape_analysis_options options;
    struct analysis_plan plan;
    struct analysis_state *pass; /* NULL: no event yet. */
    struct omptape_pyramid *pyramid;
    uint32_t locations; /* Number of locations in the pyramid. */
    uint64_t begin;     /* Events before this time count at it. */
    uint64_t events;    /* Number of events passed to the analysis. */
    bool no_memory;
};

/* Attributes that an analysis uses. A profile's archive stores no others. */
static const uint32_t wanted =
    1U << OMPTAPE_ATTRIBUTE_ITERATIONS | 1U << OMPTAPE_ATTRIBUTE_START | 1U << OMPTAPE_ATTRIBUTE_COUNT |
    1U << OMPTAPE_ATTRIBUTE_BYTES | 1U << OMPTAPE_ATTRIBUTE_HOST_ADDRESS | 1U << OMPTAPE_ATTRIBUTE_DEVICE |
    1U << OMPTAPE_ATTRIBUTE_CALL | 1U << OMPTAPE_ATTRIBUTE_THREAD_ID | 1U << OMPTAPE_ATTRIBUTE_SYNTHESISED |
    1U << OMPTAPE_ATTRIBUTE_LOCK | 1U << OMPTAPE_ATTRIBUTE_CALLS;

static inline bool may_have_details(const struct archive_event *event)
{
    return event->kind == OMPTAPE_EVENT_ENTER || event->kind == OMPTAPE_EVENT_LEAVE ||
           event->kind == OMPTAPE_EVENT_METRIC ||
           (event->kind == OMPTAPE_EVENT_MEASUREMENT && event->ref != 0);
}

static struct profile_details *take_details(struct omptape_profile *profile)
{
    struct profile_details *details = profile->free;
    if (details == NULL)
        return omptape_arena_alloc(&profile->arena, sizeof(*details));
    profile->free = details->next;
    return details;
}

static void free_details(struct omptape_profile *profile, struct profile_details *details)
{
    details->next = profile->free;
    profile->free = details;
}

/* Returns false if out of memory. */
static bool keep_attributes(struct omptape_profile *profile, const struct omptape_attributes *attributes,
                            bool is_metric, struct profile_details **details)
{
    *details = take_details(profile);
    if (*details == NULL)
        return false;
    struct omptape_event_attributes *list = &(*details)->attributes;
    list->count = 0;
    for (uint32_t i = 0; i < attributes->count && list->count < OMPTAPE_EVENT_ATTRIBUTES; i++) {
        const struct omptape_attribute_value *entry = &attributes->list[i];
        if (!is_metric && (wanted >> entry->attribute & 1) == 0)
            continue;
        list->list[list->count++] = (struct omptape_event_attribute){
            .value = entry->value, .id = entry->attribute, .type = entry->type};
    }
    return true;
}

static void on_event(void *data, struct omptape_events *events, const struct archive_event *event,
                     const struct omptape_attributes *attributes)
{
    struct omptape_profile *profile = data;
    struct archive_event own = *event;
    if (events->lane == NULL)
        events->lane = (struct archive_lane *)profile_order_lane(&profile->order, events->location);
    if (events->lane == NULL ||
        (may_have_details(event) && attributes != NULL &&
         !keep_attributes(profile, attributes, event->kind == OMPTAPE_EVENT_METRIC, &own.details)) ||
        !profile_order_add(&profile->order, (struct profile_order_lane *)events->lane, &own))
        profile->no_memory = true;
}

int omptape_profile_attach_sums(struct omptape_writer *writer, uint64_t begin)
{
    struct omptape_profile *profile = calloc(1, sizeof(*profile));
    writer->sums = profile;
    if (profile == NULL)
        return -ENOMEM;
    profile->begin = begin;
    writer->archive.observer = (struct archive_observer){.data = profile, .beside = true, .event = on_event};
    return 0;
}

int omptape_profile_create(struct omptape_writer *writer)
{
    int result = omptape_profile_attach_sums(writer, 0);
    writer->profile = writer->sums;
    writer->archive.observer.beside = false;
    omptape_attributes_want(&writer->archive.attributes, wanted);
    return result;
}

bool omptape_profile_is_full(const struct omptape_profile *profile)
{
    return profile->order.is_full;
}

uint64_t omptape_profile_events(const struct omptape_profile *profile)
{
    return profile->events + profile_order_waiting(&profile->order);
}

/* Starts the analysis at the first event, when the clock's resolution is known. */
static bool begin(struct omptape_profile *profile, struct omptape_writer *writer)
{
    uint64_t resolution = omptape_timeline_resolution(&writer->timeline);
    if (!omptape_profile_defs_begin(&profile->defs, writer, resolution))
        return false;
    if (writer->profile == profile) {
        profile->pyramid = omptape_pyramid_begin_growing(profile->defs.reader, writer->begin);
        if (profile->pyramid == NULL)
            return false;
        profile->observer = omptape_pyramid_observer(profile->pyramid);
        profile->options.observer = &profile->observer;
    }
    if (omptape_analysis_plan_make(&profile->plan, profile->defs.reader, &profile->options) != 0)
        return false;
    profile->pass = omptape_pass_begin(&profile->plan, 0, 1);
    return profile->pass != NULL;
}

static bool note_locations(struct omptape_profile *profile, struct omptape_writer *writer)
{
    bool good = omptape_profile_defs_locations(&profile->defs, writer);
    for (; profile->pyramid != NULL && profile->locations < writer->location_count && good;
         profile->locations++)
        good = omptape_pyramid_add_location(profile->pyramid,
                                            omptape_reader_find(profile->defs.reader, OMPTAPE_DEF_LOCATION,
                                                                writer->locations[profile->locations]->ref));
    return good;
}

/* Returns the earliest time at which an event may still come, at most `time`. Workers report the end of a
 * region when they begin the next one, and this end gets the time of the primary's. */
static uint64_t time_of_workers(const struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->location_count; i++) {
        const struct omptape_location *location = writer->locations[i];
        const struct omptape_team *team = location->stack.implicit_team;
        if (location->closed || team == NULL || team->end == 0 || team->primary == location)
            continue;
        uint64_t earliest = omptape_location_time(location, team->barrier_end);
        time = earliest < time ? earliest : time;
    }
    return time;
}

/* Defines the region of an MPI call's call site. */
static bool refer_to_call(struct omptape_profile *profile, struct omptape_writer *writer,
                          struct omptape_event_attributes *attributes)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        struct omptape_event_attribute *one = &attributes->list[i];
        if (one->id != OMPTAPE_ATTRIBUTE_CALL)
            continue;
        const struct omptape_profile_region *call =
            omptape_profile_defs_region(&profile->defs, writer, (uint32_t)one->value);
        if (call == NULL)
            return false;
        one->value = call->first;
    }
    return true;
}

/* Defines the region of an Enter or Leave. */
static bool refer_to_region(struct omptape_profile *profile, struct omptape_writer *writer,
                            const struct archive_event *from)
{
    const struct omptape_profile_region *region =
        omptape_profile_defs_region(&profile->defs, writer, from->ref);
    if (region == NULL)
        return false;
    profile->event.refs[0] = omptape_reader_refer(OMPTAPE_DEF_REGION, region->first);
    return from->details == NULL || refer_to_call(profile, writer, &from->details->attributes);
}

/* Defines what the event refers to. Returns false if out of memory. */
static bool refer(struct omptape_profile *profile, struct omptape_writer *writer,
                  const struct archive_event *from)
{
    struct omptape_profile_defs *defs = &profile->defs;
    struct omptape_event *event = &profile->event;
    event->refs[0] = omptape_reader_refer(OMPTAPE_DEF_NONE, from->ref);
    event->ref_count = 1;
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_LEAVE:
        return refer_to_region(profile, writer, from);
    case OMPTAPE_EVENT_TEAM_BEGIN:
    case OMPTAPE_EVENT_TEAM_END:
    case OMPTAPE_EVENT_TASK_CREATE:
    case OMPTAPE_EVENT_TASK_SWITCH:
    case OMPTAPE_EVENT_TASK_COMPLETE:
        event->refs[0].kind = OMPTAPE_DEF_COMM;
        return from->ref < defs->comms || omptape_profile_defs_comms(defs, writer);
    case OMPTAPE_EVENT_SAMPLE:
        event->refs[0].kind = OMPTAPE_DEF_CALLING_CONTEXT;
        return omptape_profile_defs_context(defs, from->ref);
    case OMPTAPE_EVENT_PARAMETER:
        event->refs[0].kind = OMPTAPE_DEF_PARAMETER;
        if (from->value[0] != OTF2_PARAMETER_TYPE_STRING)
            return true;
        event->ref_count = 2;
        event->refs[1] = omptape_reader_refer(OMPTAPE_DEF_STRING, from->value[1]);
        return omptape_profile_defs_string(defs, writer, (OTF2_StringRef)from->value[1]);
    case OMPTAPE_EVENT_METRIC:
        event->refs[0].kind = OMPTAPE_DEF_METRIC;
        return omptape_profile_defs_metrics(defs, writer);
    default:
        event->ref_count = 0;
        return true;
    }
}

static void measure(struct omptape_profile *profile, const struct omptape_event_attributes *measured)
{
    struct omptape_event *event = &profile->event;
    event->count = measured->count;
    event->value[0] = measured->count;
    event->types = profile->types;
    event->values = profile->values;
    for (uint32_t i = 0; i < measured->count; i++) {
        profile->types[i] = measured->list[i].type;
        profile->values[i].unsigned_int = measured->list[i].value;
    }
}

/* Converts an event to the form that a reader returns, in profile->event. Returns false if out of memory. */
static bool make_event(struct omptape_profile *profile, struct omptape_writer *writer, uint64_t location,
                       const struct archive_event *from)
{
    /* Index of a reader's value to which the first value of an archive's event is copied. */
    static const uint8_t first_value[OMPTAPE_EVENT_KINDS] = {
        [OMPTAPE_EVENT_RMA_OPERATION] = 1,       [OMPTAPE_EVENT_RMA_COMPLETE] = 1,
        [OMPTAPE_EVENT_IO_COMPLETE] = 1,         [OMPTAPE_EVENT_MPI_SEND] = 2,
        [OMPTAPE_EVENT_MPI_RECEIVE] = 2,         [OMPTAPE_EVENT_MPI_COLLECTIVE] = 2,
        [OMPTAPE_EVENT_MPI_COLLECTIVE_LATER] = 2};
    struct omptape_event *event = &profile->event;
    const bool has_details = may_have_details(from) && from->details != NULL;
    event->kind = (enum omptape_event_kind)from->kind;
    event->location = location;
    event->time = from->time;
    event->count = 0;
    event->plain = has_details ? &from->details->attributes : NULL;
    memcpy(&event->value[first_value[from->kind]], from->value, sizeof(from->value));
    if (event->kind == OMPTAPE_EVENT_METRIC && has_details)
        measure(profile, &from->details->attributes);
    return refer(profile, writer, from);
}

/* Passes an event without conversion, the common case. lane->own is the analysis's location after its
 * first event. Returns false for other events, and if a reference is not defined yet. */
static inline bool pass_words(struct omptape_profile *profile, const struct profile_order_lane *lane,
                              const struct archive_event *from)
{
    const struct omptape_profile_defs *defs = &profile->defs;
    struct analysis_location *location = lane->own;
    const bool is_enter = from->kind == OMPTAPE_EVENT_ENTER;
    if (location == NULL)
        return false;
    if (!is_enter && from->kind != OMPTAPE_EVENT_LEAVE)
        return (from->kind != OMPTAPE_EVENT_TEAM_BEGIN || from->ref < defs->comms) &&
               omptape_pass_construct_event(profile->pass, location, from->time,
                                            (enum omptape_event_kind)from->kind, from->ref, from->value);
    struct analysis_region *region =
        from->ref < defs->region_count ? defs->regions[from->ref].analysis : NULL;
    if (region == NULL)
        return false;
    struct profile_details *details = from->details;
    if (!is_enter) {
        omptape_analysis_note_plain_leave(profile->pass, location, from->time,
                                          details != NULL ? &details->attributes : NULL);
        omptape_analysis_leave(profile->pass, location, from->time, region);
    } else if (details == NULL) {
        omptape_analysis_enter(profile->pass, location, from->time, region, NULL);
    } else {
        omptape_analysis_enter(profile->pass, location, from->time, region,
                               &(struct omptape_event){.plain = &details->attributes});
    }
    if (details != NULL)
        free_details(profile, details);
    return true;
}

/* Passes other events, and the first event of each location and region. A definition gets debug information
 * only if there is memory for it; the analysis needs none. Returns false if out of memory. */
__attribute__((noinline)) static bool pass_whole(struct omptape_profile *profile,
                                                 struct omptape_writer *writer,
                                                 struct profile_order_lane *lane,
                                                 const struct archive_event *from)
{
    const struct omptape_event *event = &profile->event;
    const bool out_of_memory = omptape_out_of_memory;
    if (!make_event(profile, writer, lane->location, from))
        return false;
    omptape_out_of_memory = out_of_memory;
    if (!omptape_pass_event(profile->pass, event))
        return false;
    lane->own = omptape_pass_location(profile->pass, event->location);
    if (event->kind == OMPTAPE_EVENT_ENTER || event->kind == OMPTAPE_EVENT_LEAVE)
        profile->defs.regions[from->ref].analysis = omptape_pass_region(profile->pass, event->refs[0].id);
    if (may_have_details(from) && from->details != NULL)
        free_details(profile, from->details);
    return true;
}

/* Passes all events before `time` to the analysis. Ignores allocations that failed in other parts of the
 * writer, which continues without what they were for. Returns false if out of memory. */
static bool pass_events(struct omptape_profile *profile, struct omptape_writer *writer, uint64_t time)
{
    struct profile_order *order = &profile->order;
    struct archive_event *next;
    if (profile->pass == NULL && order->lanes.count > 0 && !begin(profile, writer))
        return false;
    if (profile->pass == NULL)
        return true;
    if (profile->locations < writer->location_count && !note_locations(profile, writer))
        return false;
    if (!profile_order_begin(order, time))
        return false;
    omptape_out_of_memory = false;
    for (; (next = profile_order_take(order)) != NULL; profile->events++) {
        if (next->time < profile->begin && next->kind == OMPTAPE_EVENT_SAMPLE)
            continue;
        next->time = next->time > profile->begin ? next->time : profile->begin;
        if (!pass_words(profile, order->heap[0], next) && !pass_whole(profile, writer, order->heap[0], next))
            return false;
    }
    profile_order_end(order);
    return omptape_pass_wants_events(profile->pass);
}

/* Writes pending scheduler readings. A trace writes them before the location's next event, but here other
 * locations continue meanwhile. */
static void show_readings(struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (omptape_sched_has_pending(writer->locations[i]) && time > 0)
            omptape_sched_write(writer, writer->locations[i], time - 1);
}

void omptape_profile_advance(struct omptape_writer *writer, uint64_t time)
{
    struct omptape_profile *profile = writer->sums;
    if (writer->archive.error[0] != '\0') {
        profile_order_drop(&profile->order);
        return;
    }
    if (writer->profile != NULL)
        show_readings(writer, time);
    if (profile_order_waiting(&profile->order) < MAX_WAITING_EVENTS)
        time = time_of_workers(writer, time);
    if (profile->no_memory || !pass_events(profile, writer, time)) {
        profile->no_memory = true;
        if (writer->profile != NULL)
            omptape_archive_fail(&writer->archive, -ENOMEM);
    }
}

/* `files`: the archive's handle (src/archive/otf2_files.h). */
static int write_sums(const struct omptape_profile *profile, int files)
{
    struct omptape_bytes bytes;
    int result = omptape_sums_write(&bytes, profile->pass, profile->pyramid);
    int file = result == 0 ? omptape_otf2_files_create(files, OMPTAPE_PROFILE_FILE) : -1;
    if (result == 0)
        result = file >= 0 ? omptape_write_all(file, bytes.list, bytes.count) : file;
    if (file >= 0 && close(file) != 0 && result == 0)
        result = -errno;
    omptape_bytes_free(&bytes);
    return result;
}

struct analysis_state *omptape_profile_end(struct omptape_writer *writer)
{
    struct omptape_profile *profile = writer->sums;
    bool good = !profile->no_memory && pass_events(profile, writer, UINT64_MAX) && profile->pass != NULL &&
                omptape_pass_end(profile->pass);
    return good ? profile->pass : NULL;
}

struct omptape_profile_defs *omptape_profile_get_defs(struct omptape_profile *profile)
{
    return &profile->defs;
}

void omptape_profile_finish(struct omptape_writer *writer)
{
    struct omptape_profile *profile = writer->profile;
    if (writer->archive.error[0] != '\0')
        return;
    if (omptape_profile_end(writer) == NULL) {
        omptape_archive_fail(&writer->archive, -ENOMEM);
        return;
    }
    omptape_pyramid_end(profile->pyramid);
    int result = write_sums(profile, writer->archive.files);
    if (result != 0)
        omptape_archive_fail(&writer->archive, result);
}

void omptape_profile_free(struct omptape_writer *writer)
{
    struct omptape_profile *profile = writer->sums;
    if (profile == NULL)
        return;
    omptape_pass_free(profile->pass);
    omptape_analysis_plan_free(&profile->plan);
    omptape_pyramid_free(profile->pyramid);
    profile_order_free(&profile->order);
    omptape_arena_free(&profile->arena);
    omptape_profile_defs_end(&profile->defs);
    writer->region_texts = NULL;
    free(profile);
    writer->sums = NULL;
    writer->profile = NULL;
}
