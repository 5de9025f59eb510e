/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The immediate check of every event: location, time and references. Then dispatches the event by kind.
 * Called by the archive reader.
 */
#include "src/archive/read/regions.h"
#include "src/command/check/state.h"
#include <omptape/properties.h>

#include <inttypes.h>

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

static void check_by_kind(struct check *check, struct check_location *location,
                          const struct omptape_event *event, bool references_good)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_FORK:
        check_open(location, event);
        break;
    case OMPTAPE_EVENT_LEAVE:
    case OMPTAPE_EVENT_JOIN:
        check_close(check, location, event);
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        check_open(location, event);
        if (references_good)
            check_queue(check, location, event);
        break;
    case OMPTAPE_EVENT_TEAM_END:
        check_close(check, location, event);
        if (references_good)
            check_queue(check, location, event);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
    case OMPTAPE_EVENT_TASK_SWITCH:
    case OMPTAPE_EVENT_TASK_COMPLETE:
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        if (references_good)
            check_queue(check, location, event);
        break;
    case OMPTAPE_EVENT_RMA_OPERATION:
    case OMPTAPE_EVENT_RMA_COMPLETE:
        if (references_good)
            check_transfer(check, location, event);
        break;
    case OMPTAPE_EVENT_IO_OPERATION:
    case OMPTAPE_EVENT_IO_COMPLETE:
        if (references_good)
            check_io(check, location, event);
        break;
    case OMPTAPE_EVENT_COMM_CREATE:
    case OMPTAPE_EVENT_COMM_DESTROY:
        if (references_good)
            check_comm_events(check, location, event);
        break;
    case OMPTAPE_EVENT_THREAD_CREATE:
    case OMPTAPE_EVENT_THREAD_BEGIN:
    case OMPTAPE_EVENT_THREAD_WAIT:
    case OMPTAPE_EVENT_THREAD_END:
        if (references_good)
            check_lifetime(check, location, event);
        break;
    case OMPTAPE_EVENT_SAMPLE:
        if (references_good)
            check_sample(check, location, event);
        break;
    default:
        check_details(check, location, event);
        break;
    }
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
