/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up all events in one pass (state.h). Called by info.c; the reader calls it back.
 */
#include "src/archive/read/regions.h"
#include "src/command/info/state.h"
#include "src/core/whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct info_device *info_device_of(struct info_profile *profile, const struct omptape_definition *location)
{
    const struct omptape_definition *group = omptape_location_device(profile->reader, location);
    if (group == NULL)
        return NULL;
    struct info_device *device =
        omptape_pairs_obtain(&profile->devices, &profile->arena, 0, group->id, sizeof(struct info_device));
    if (device != NULL)
        device->group = group;
    return device;
}

/* Returns true if this rank of the window is a location of a device. */
static bool is_device(struct info_profile *profile, uint64_t window_id, uint64_t rank)
{
    const struct omptape_reader *reader = profile->reader;
    const struct omptape_definition *window = omptape_reader_find(reader, OMPTAPE_DEF_RMA_WIN, window_id);
    const struct omptape_definition *comm =
        window == NULL ? NULL : omptape_reader_find(reader, OMPTAPE_DEF_COMM, window->refs[1].id);
    const struct omptape_definition *group =
        comm == NULL ? NULL : omptape_reader_find(reader, OMPTAPE_DEF_GROUP, comm->refs[1].id);
    if (group == NULL || rank >= group->member_count)
        return false;
    const struct omptape_definition *locations = omptape_reader_comm_locations(reader, group->value[1]);
    uint64_t index = group->members[rank];
    const struct omptape_definition *location =
        locations == NULL || index >= locations->member_count
            ? NULL
            : omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, locations->members[index]);
    return location != NULL && info_device_of(profile, location) != NULL;
}

static void count_transfer(struct info_profile *profile, struct info_device *device,
                           const struct omptape_event *event)
{
    enum info_direction direction = INFO_TO_DEVICE;
    if (is_device(profile, event->refs[0].id, event->value[0]))
        direction = INFO_BETWEEN_DEVICES;
    else if (strcmp(event->name, "RmaPut") == 0)
        direction = INFO_FROM_DEVICE;
    device->transfers[direction]++;
    omptape_add(&device->bytes[direction], event->value[2]);
}

/* Handles a device's transfer or metric. */
static void follow_device(struct info_profile *profile, struct info_device *device,
                          const struct omptape_event *event)
{
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION) {
        count_transfer(profile, device, event);
    } else if (event->kind == OMPTAPE_EVENT_METRIC && event->count > 0 &&
               event->types[0] == OTF2_TYPE_UINT64) {
        uint64_t value = event->values[0].unsigned_int;
        device->memory = value > device->memory ? value : device->memory;
        device->has_memory = true;
    }
}

static bool is_work(const struct info_region *region)
{
    return omptape_reader_device_work(region->definition) != OMPTAPE_DEVICE_OTHER;
}

/* Track the time in which at least one kernel or transfer runs on the device. */
static void begin_work(struct info_device *device, const struct info_region *region, uint64_t time)
{
    if (is_work(region) && device->open++ == 0)
        device->busy_begin = time;
}

static void end_work(struct info_device *device, const struct info_region *region, uint64_t time)
{
    if (!is_work(region) || device->open == 0)
        return;
    device->open--;
    if (device->open == 0)
        omptape_add(&device->busy, omptape_minus(time, device->busy_begin));
}

static struct info_location *location_of(struct info_profile *profile, uint64_t id)
{
    if (profile->last_location != NULL && profile->last_location->definition->id == id)
        return profile->last_location;
    const struct omptape_definition *definition =
        omptape_reader_find(profile->reader, OMPTAPE_DEF_LOCATION, id);
    if (definition == NULL)
        return NULL;
    struct info_location *location =
        omptape_pairs_obtain(&profile->locations, &profile->arena, 0, id, sizeof(*location));
    if (location != NULL) {
        if (location->definition == NULL)
            location->device = info_device_of(profile, definition);
        location->definition = definition;
        profile->last_location = location;
    }
    return location;
}

static struct info_region *region_of(struct info_profile *profile, const struct info_location *location,
                                     uint64_t id)
{
    if (location->device == NULL)
        return omptape_pairs_obtain(&profile->regions, &profile->arena, 0, id, sizeof(struct info_region));
    return omptape_pairs_obtain(&profile->works, &profile->arena, location->device->group->id, id,
                                sizeof(struct info_region));
}

static void enter_region(void *data, struct replay_location *replay, struct replay_frame *frame,
                         const struct omptape_event *event)
{
    struct info_profile *profile = data;
    const struct info_location *location = (const struct info_location *)replay;
    /* A call of MPI is attributed to its call site, as in the analysis. */
    const struct omptape_definition *definition =
        omptape_reader_find(profile->reader, OMPTAPE_DEF_REGION, frame->region);
    if (definition != NULL && definition->region->kind == OMPTAPE_REGION_MPI)
        definition = omptape_reader_find(profile->reader, OMPTAPE_DEF_REGION,
                                         omptape_event_call_region(profile->reader, event));
    struct info_region *region = definition == NULL ? NULL : region_of(profile, location, definition->id);
    ((struct info_frame *)frame)->region = region;
    ((struct info_frame *)frame)->inner = 0;
    if (region == NULL)
        return;
    region->definition = definition;
    region->visits++;
    if (location->device != NULL)
        begin_work(location->device, region, event->time);
}

static void leave_region(void *data, struct replay_location *replay, struct replay_frame *frame,
                         uint64_t time)
{
    (void)data;
    const struct info_location *location = (const struct info_location *)replay;
    const struct info_frame *own = (const struct info_frame *)frame;
    struct info_frame *outer = replay->depth > 1 ? (struct info_frame *)frame - 1 : NULL;
    uint64_t spent = time > frame->begin ? time - frame->begin : 0;
    if (outer != NULL)
        outer->inner += own->region != NULL ? spent : own->inner;
    if (own->region == NULL)
        return;
    omptape_add(&own->region->exclusive, spent > own->inner ? spent - own->inner : 0);
    if (replay_outer(replay, frame, sizeof(struct info_frame)) == NULL)
        omptape_add(&own->region->inclusive, spent);
    if (location->device != NULL)
        end_work(location->device, own->region, time);
}

static const struct replay_observer observer = {
    .frame_bytes = sizeof(struct info_frame), .enter = enter_region, .leave = leave_region};

static void begin_team(struct info_profile *profile, const struct omptape_event *event)
{
    const struct omptape_definition *comm =
        omptape_reader_find(profile->reader, OMPTAPE_DEF_COMM, event->refs[0].id);
    struct info_team *team =
        comm == NULL ? NULL
                     : omptape_pairs_obtain(&profile->teams, &profile->arena, 0, comm->id, sizeof(*team));
    if (team != NULL) {
        team->definition = comm;
        team->begins++;
    }
}

static void begin_program(struct info_profile *profile, const struct omptape_event *event)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = profile->command_line == NULL ? open_memstream(&text, &bytes) : NULL;
    if (stream == NULL)
        return;
    fputs(omptape_reader_string(profile->reader, event->refs[0].id), stream);
    for (uint32_t i = 0; i < event->count; i++)
        fprintf(stream, " %s", omptape_reader_string(profile->reader, event->strings[i]));
    if (fclose(stream) == 0)
        profile->command_line = text;
    else
        free(text);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct info_profile *profile = data;
    struct info_location *location = location_of(profile, event->location);
    struct info_count *kind = omptape_pairs_obtain(&profile->kinds, &profile->arena, 0,
                                                   (uint64_t)(uintptr_t)event->name, sizeof(*kind));
    profile->progress->done++;
    if (location == NULL || kind == NULL)
        return !omptape_out_of_memory;
    profile->first_time =
        profile->events == 0 || event->time < profile->first_time ? event->time : profile->first_time;
    profile->last_time = event->time > profile->last_time ? event->time : profile->last_time;
    profile->events++;
    if (location->events++ == 0)
        location->first = event->time;
    location->last = event->time;
    kind->name = event->name;
    kind->count++;
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_LEAVE:
        (void)replay_follow(&observer, profile, &location->replay, event, event->time);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        begin_team(profile, event);
        break;
    case OMPTAPE_EVENT_PROGRAM_BEGIN:
        begin_program(profile, event);
        break;
    case OMPTAPE_EVENT_RMA_OPERATION:
        omptape_add(&profile->transferred, event->value[2]);
        break;
    default:
        break;
    }
    if (location->device != NULL)
        follow_device(profile, location->device, event);
    return !omptape_out_of_memory;
}

static bool on_marker(void *data, const struct omptape_marker *marker)
{
    struct info_profile *profile = data;
    const struct omptape_definition *definition =
        omptape_reader_find(profile->reader, OMPTAPE_DEF_MARKER, marker->definition.id);
    struct info_count *count =
        omptape_pairs_obtain(&profile->markers, &profile->arena, 0, marker->definition.id, sizeof(*count));
    if (profile->marker_count < INFO_MARKER_TEXTS) {
        profile->marker_texts[profile->marker_count] = omptape_reader_text(&profile->arena, marker->text);
        profile->marker_times[profile->marker_count] = marker->time;
    }
    profile->marker_count++;
    if (count != NULL) {
        count->name = definition == NULL ? "undefined" : definition->text;
        count->count++;
    }
    return !omptape_out_of_memory;
}

/* Closes regions that are still open at their location's last event. */
static void end_regions(struct info_profile *profile)
{
    for (uint32_t i = 0; i < profile->locations.count; i++) {
        struct info_location *location = profile->locations.list[i].value;
        replay_end(&observer, profile, &location->replay, location->last);
    }
}

int info_gather(struct info_profile *profile, char *error, size_t error_bytes)
{
    int status = omptape_reader_read_events(profile->reader, on_event, profile, error, error_bytes);
    if (status == 0)
        status = omptape_reader_read_markers(profile->reader, on_marker, profile, error, error_bytes);
    end_regions(profile);
    return status;
}

void info_free_profile(struct info_profile *profile)
{
    for (uint32_t i = 0; i < profile->locations.count; i++)
        replay_free(&((struct info_location *)profile->locations.list[i].value)->replay);
    omptape_pairs_free(&profile->regions);
    omptape_pairs_free(&profile->works);
    omptape_pairs_free(&profile->devices);
    omptape_pairs_free(&profile->locations);
    omptape_pairs_free(&profile->teams);
    omptape_pairs_free(&profile->kinds);
    omptape_pairs_free(&profile->markers);
    omptape_arena_free(&profile->arena);
    free(profile->command_line);
}
