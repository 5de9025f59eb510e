/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one pass over the events for `omptape info`: visits and times of regions, events of locations and
 * kinds, teams. Called back by the archive reader in the child process; an archive that breaks rules is
 * described as far as it goes.
 */
#include "src/command/info/state.h"

#include <stdlib.h>
#include <string.h>

void *omptape_info_obtain(struct omptape_info *info, struct omptape_pairs *table, uint64_t high, uint64_t id,
                          size_t bytes)
{
    void *value = omptape_pairs_get(table, high, id);
    if (value == NULL) {
        value = omptape_arena_take(&info->arena, bytes);
        if (value == NULL || omptape_pairs_put(table, high, id, value) != 0) {
            info->no_memory = true;
            return NULL;
        }
    }
    return value;
}

static void *obtain(struct omptape_info *info, struct omptape_pairs *table, uint64_t id, size_t bytes)
{
    return omptape_info_obtain(info, table, 0, id, bytes);
}

static struct info_location *location_of(struct omptape_info *info, uint64_t id)
{
    if (info->last_location != NULL && info->last_location->definition->id == id)
        return info->last_location;
    const struct omptape_definition *definition = omptape_reader_find(info->reader, OMPTAPE_DEF_LOCATION, id);
    if (definition == NULL)
        return NULL;
    struct info_location *location = obtain(info, &info->locations, id, sizeof(*location));
    if (location != NULL) {
        if (location->definition == NULL)
            location->device = omptape_info_device_of(info, definition);
        location->definition = definition;
        info->last_location = location;
    }
    return location;
}

static struct info_region *region_of(struct omptape_info *info, const struct info_location *location,
                                     uint64_t id)
{
    if (location->device == NULL)
        return obtain(info, &info->regions, id, sizeof(struct info_region));
    return omptape_info_obtain(info, &info->works, location->device->group->id, id,
                               sizeof(struct info_region));
}

static void enter(struct omptape_info *info, struct info_location *location,
                  const struct omptape_event *event)
{
    uint64_t id = event->refs[0].id;
    const struct omptape_definition *definition = omptape_reader_find(info->reader, OMPTAPE_DEF_REGION, id);
    struct info_region *region = definition == NULL ? NULL : region_of(info, location, id);
    if (region == NULL)
        return;
    if (location->depth == location->room) {
        size_t room = location->room == 0 ? 32 : location->room * 2;
        struct info_frame *larger = realloc(location->frames, room * sizeof(*larger));
        if (larger == NULL) {
            info->no_memory = true;
            return;
        }
        location->frames = larger;
        location->room = room;
    }
    region->definition = definition;
    region->visits++;
    location->frames[location->depth++] = (struct info_frame){.region = region, .begin = event->time};
    if (location->device != NULL)
        omptape_info_device_enter(location->device, region, event->time);
}

static bool runs_outside(const struct info_location *location, const struct info_region *region)
{
    for (size_t i = location->depth; i-- > 0;)
        if (location->frames[i].region == region)
            return true;
    return false;
}

void omptape_info_add_ticks(uint64_t *sum, uint64_t ticks)
{
    if (__builtin_add_overflow(*sum, ticks, sum))
        *sum = UINT64_MAX;
}

static void leave_innermost(struct info_location *location, uint64_t time)
{
    const struct info_frame frame = location->frames[--location->depth];
    uint64_t spent = time > frame.begin ? time - frame.begin : 0;
    omptape_info_add_ticks(&frame.region->exclusive, spent > frame.inner ? spent - frame.inner : 0);
    if (!runs_outside(location, frame.region))
        omptape_info_add_ticks(&frame.region->inclusive, spent);
    if (location->depth > 0)
        location->frames[location->depth - 1].inner += spent;
    if (location->device != NULL)
        omptape_info_device_leave(location->device, frame.region, time);
}

/* Takes off everything above the region too; a Leave of something that is not open is passed over. */
static void leave(struct info_location *location, const struct omptape_event *event)
{
    for (size_t i = location->depth; i-- > 0;) {
        if (location->frames[i].region->definition->id == event->refs[0].id) {
            while (location->depth > i)
                leave_innermost(location, event->time);
            return;
        }
    }
}

static void begin_team(struct omptape_info *info, const struct omptape_event *event)
{
    const struct omptape_definition *comm =
        omptape_reader_find(info->reader, OMPTAPE_DEF_COMM, event->refs[0].id);
    struct info_team *team = comm == NULL ? NULL : obtain(info, &info->teams, comm->id, sizeof(*team));
    if (team != NULL) {
        team->definition = comm;
        team->begins++;
    }
}

static void begin_program(struct omptape_info *info, const struct omptape_event *event)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = info->command_line == NULL ? open_memstream(&text, &bytes) : NULL;
    if (stream == NULL)
        return;
    fputs(omptape_reader_string(info->reader, event->refs[0].id), stream);
    for (uint32_t i = 0; i < event->count; i++)
        fprintf(stream, " %s", omptape_reader_string(info->reader, event->strings[i]));
    if (fclose(stream) == 0)
        info->command_line = text;
    else
        free(text);
}

bool omptape_info_event(void *data, const struct omptape_event *event)
{
    struct omptape_info *info = data;
    struct info_location *location = location_of(info, event->location);
    struct info_count *kind = obtain(info, &info->kinds, (uint64_t)(uintptr_t)event->name, sizeof(*kind));
    ++*info->progress;
    if (location == NULL || kind == NULL)
        return !info->no_memory;
    info->first_time = info->events == 0 || event->time < info->first_time ? event->time : info->first_time;
    info->last_time = event->time > info->last_time ? event->time : info->last_time;
    info->events++;
    location->events++;
    location->last = event->time;
    kind->name = event->name;
    kind->count++;
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
        enter(info, location, event);
        break;
    case OMPTAPE_EVENT_LEAVE:
        leave(location, event);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        begin_team(info, event);
        break;
    case OMPTAPE_EVENT_PROGRAM_BEGIN:
        begin_program(info, event);
        break;
    case OMPTAPE_EVENT_RMA_OPERATION:
        info->transferred += event->value[2];
        break;
    default:
        break;
    }
    if (location->device != NULL)
        omptape_info_device_event(info, location->device, event);
    return !info->no_memory;
}

bool omptape_info_marker(void *data, const struct omptape_marker *marker)
{
    struct omptape_info *info = data;
    const struct omptape_definition *definition =
        omptape_reader_find(info->reader, OMPTAPE_DEF_MARKER, marker->definition.id);
    struct info_count *count = obtain(info, &info->markers, marker->definition.id, sizeof(*count));
    if (info->marker_count < INFO_MARKER_TEXTS) {
        info->marker_texts[info->marker_count] = omptape_reader_text(&info->arena, marker->text);
        info->marker_times[info->marker_count] = marker->time;
    }
    info->marker_count++;
    if (count != NULL) {
        count->name = definition == NULL ? "undefined" : definition->text;
        count->count++;
    }
    return !info->no_memory;
}

void omptape_info_finish(struct omptape_info *info)
{
    for (uint32_t i = 0; i < info->locations.count; i++) {
        struct info_location *location = info->locations.list[i].value;
        while (location->depth > 0)
            leave_innermost(location, location->last);
        free(location->frames);
        location->frames = NULL;
        location->room = 0;
    }
}
