/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The immediate check of every event: location, time and references. Then dispatches the event by kind.
 */
#include "src/archive/read/regions.h"
#include "src/command/check/state.h"
#include <inttypes.h>
#include <omptape/properties.h>

static struct check_process *process_of(struct check *check, const struct omptape_definition *location)
{
    uint64_t group = location->refs[1].id;
    return omptape_pairs_obtain(&check->processes, &check->arena, 0, group, sizeof(struct check_process));
}

static bool has_distinct_times(struct check *check, const struct omptape_definition *location)
{
    int64_t process = omptape_reader_process_number(check->reader, location->refs[1].id);
    return omptape_reader_property_of(check->reader, process, OMPTAPE_KEY_DISTINCT_TIMES) != NULL;
}

/* Returns the state of a location; the reader passes events of defined ones only; NULL if out of memory. */
static struct check_location *find_location(struct check *check, uint64_t id)
{
    if (check->last_location != NULL && check->last_location->definition->id == id)
        return check->last_location;
    struct check_location *location =
        omptape_pairs_obtain(&check->locations, &check->arena, 0, id, sizeof(*location));
    if (location == NULL)
        return NULL;
    if (location->definition == NULL) {
        location->definition = omptape_reader_find(check->reader, OMPTAPE_DEF_LOCATION, id);
        location->process = process_of(check, location->definition);
        location->is_other = omptape_location_is_other(check->reader, location->definition);
        location->distinct = has_distinct_times(check, location->definition);
    }
    check->last_location = location;
    return location;
}

static void check_time(struct check *check, struct check_location *location,
                       const struct omptape_event *event)
{
    const struct omptape_reader *reader = check->reader;
    if (location->events > 1 && event->time < location->time) {
        check_report(check, "time", "time goes back: expected %" PRIu64 " or later, found %" PRIu64,
                     location->time, event->time);
    }
    if (location->events > 1 && event->time == location->time && location->distinct)
        check_report(check, "time", "expected a time of its own, found that of the event before it");
    uint64_t last = reader->clock_offset + reader->clock_length;
    if (reader->clocks > 0 && (event->time < reader->clock_offset || event->time > last)) {
        check_report(check, "time",
                     "expected a time in the trace's range [%" PRIu64 ", %" PRIu64
                     "] (ClockProperties), found %" PRIu64,
                     reader->clock_offset, last, event->time);
    }
    if (event->time != location->time) {
        location->previous_time = location->time;
        location->time = event->time;
    }
}

static bool check_event_references(struct check *check, const struct omptape_event *event)
{
    bool good = true;
    for (unsigned i = 0; i < event->ref_count; i++)
        good = check_reference(check, &event->refs[i], NULL) && good;
    return good;
}

/* The checks of an event whose references are good. All other kinds have those of details.c. */
typedef void check_kind(struct check *check, struct check_location *location,
                        const struct omptape_event *event);
static check_kind *const checks[OMPTAPE_EVENT_KINDS] = {
    [OMPTAPE_EVENT_TEAM_BEGIN] = check_queue,         [OMPTAPE_EVENT_TEAM_END] = check_queue,
    [OMPTAPE_EVENT_TASK_CREATE] = check_queue,        [OMPTAPE_EVENT_TASK_SWITCH] = check_queue,
    [OMPTAPE_EVENT_TASK_COMPLETE] = check_queue,      [OMPTAPE_EVENT_LOCK_ACQUIRE] = check_queue,
    [OMPTAPE_EVENT_LOCK_RELEASE] = check_queue,       [OMPTAPE_EVENT_RMA_OPERATION] = check_transfer,
    [OMPTAPE_EVENT_RMA_COMPLETE] = check_transfer,    [OMPTAPE_EVENT_IO_OPERATION] = check_io,
    [OMPTAPE_EVENT_IO_COMPLETE] = check_io,           [OMPTAPE_EVENT_COMM_CREATE] = check_comm_events,
    [OMPTAPE_EVENT_COMM_DESTROY] = check_comm_events, [OMPTAPE_EVENT_THREAD_CREATE] = check_lifetime,
    [OMPTAPE_EVENT_THREAD_BEGIN] = check_lifetime,    [OMPTAPE_EVENT_THREAD_WAIT] = check_lifetime,
    [OMPTAPE_EVENT_THREAD_END] = check_lifetime,      [OMPTAPE_EVENT_SAMPLE] = check_sample,
};

static void check_by_kind(struct check *check, struct check_location *location,
                          const struct omptape_event *event, bool references_good)
{
    const enum omptape_event_kind kind = event->kind;
    const bool opens =
        kind == OMPTAPE_EVENT_ENTER || kind == OMPTAPE_EVENT_FORK || kind == OMPTAPE_EVENT_TEAM_BEGIN;
    const bool closes =
        kind == OMPTAPE_EVENT_LEAVE || kind == OMPTAPE_EVENT_JOIN || kind == OMPTAPE_EVENT_TEAM_END;
    if (opens)
        check_open(location, event);
    if (closes)
        check_close(check, location, event);
    if (checks[kind] != NULL && references_good)
        checks[kind](check, location, event);
    if (checks[kind] == NULL && !opens && !closes)
        check_details(check, location, event);
}

bool check_event(void *data, const struct omptape_event *event)
{
    struct check *check = data;
    if (check->item_count > 0 && event->time != check->items_time) {
        check_run_deferred(check);
        if (check_stopped(check))
            return false;
    }
    struct check_location *location = find_location(check, event->location);
    if (location == NULL || location->process == NULL)
        return !check_stopped(check);
    location->events++;
    check->progress->done++;
    check->at = (struct check_place){location, event->name, location->events, event->time};
    check->seen.events++;
    check_time(check, location, event);
    bool good = check_event_references(check, event);
    if (OTF2_AttributeList_GetNumberOfElements(event->attributes) > 0) {
        check_attributes(check, event);
        if (event->kind == OMPTAPE_EVENT_ENTER)
            check_devices_enter(check, location, event);
    }
    check_event_allowed(check, location, event);
    check_by_kind(check, location, event, good);
    return !check_stopped(check);
}

void check_locations_end(struct check *check)
{
    for (size_t i = 0; i < check->reader->definition_count && !check_stopped(check); i++) {
        const struct omptape_definition *definition = check->reader->definitions[i];
        if (definition->kind != OMPTAPE_DEF_LOCATION)
            continue;
        struct check_location *location = find_location(check, definition->id);
        if (location == NULL)
            continue;
        check->at = (struct check_place){.location = location};
        if (location->events != definition->value[1])
            check_report(check, "count", "expected %" PRIu64 " events (location definition), found %" PRIu64,
                         definition->value[1], location->events);
        check_nesting_end(check, location);
        check_transfers_end(check, &location->transfers);
    }
    check->at = (struct check_place){.location = NULL};
    for (uint32_t i = 0; i < check->processes.count; i++) {
        struct check_process *process = check->processes.list[i].value;
        check_transfers_end(check, &process->transfers);
        check_io_end(check, &process->io);
    }
    if (check->reader->local_missing > 0) {
        check_report(check, "definition",
                     "%s: expected a file with its local definitions, found none (%" PRIu64
                     " locations without one)",
                     check_label(check, OMPTAPE_DEF_LOCATION, check->reader->local_missing_first).text,
                     check->reader->local_missing);
    }
}
