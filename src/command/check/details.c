/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies what single events carry: attributes, parameters, metrics, flushes, program begin and end,
 * measurement on and off. Called by events.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static void check_attribute(struct omptape_check *check, const struct check_location *location,
                            const struct omptape_event *event, uint32_t index)
{
    OTF2_AttributeRef id = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(event->attributes, index, &id, &type, &value) != OTF2_SUCCESS)
        return;
    const struct omptape_reference attribute = {.kind = OMPTAPE_DEF_ATTRIBUTE, .what = "attribute", .id = id};
    if (!omptape_check_reference(check, &attribute, location, location->events, event->time, event->name))
        return;
    struct check_label label = omptape_check_label(check, OMPTAPE_DEF_ATTRIBUTE, id);
    const struct omptape_definition *definition =
        omptape_reader_find(check->reader, OMPTAPE_DEF_ATTRIBUTE, id);
    if (definition->value[0] != type) {
        omptape_check_report_event(check, "attribute", location, event,
                                   "%s: expected a value of type %" PRIu64 ", found type %u", label.text,
                                   definition->value[0], type);
    }
    struct omptape_reference reference = omptape_value_reference(type, value);
    omptape_check_reference(check, &reference, location, location->events, event->time, label.text);
}

void omptape_check_attributes(struct omptape_check *check, const struct check_location *location,
                              const struct omptape_event *event)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(event->attributes);
    for (uint32_t i = 0; i < count; i++)
        check_attribute(check, location, event, i);
}

static void check_parameter(struct omptape_check *check, const struct check_location *location,
                            const struct omptape_event *event)
{
    const struct omptape_definition *parameter =
        omptape_reader_find(check->reader, OMPTAPE_DEF_PARAMETER, event->refs[0].id);
    if (location->open_regions == 0) {
        omptape_check_report_event(check, "parameter", location, event,
                                   "expected an open region, found none (%s)",
                                   omptape_check_label(check, OMPTAPE_DEF_PARAMETER, event->refs[0].id).text);
    }
    if (parameter != NULL && parameter->value[0] != event->value[0]) {
        omptape_check_report_event(check, "parameter", location, event,
                                   "%s: expected a value of type %" PRIu64 ", found type %" PRIu64,
                                   omptape_check_label(check, OMPTAPE_DEF_PARAMETER, parameter->id).text,
                                   parameter->value[0], event->value[0]);
    }
}

/* A sum since the beginning, of what omptape shows, never gets less. */
static void check_sum(struct omptape_check *check, const struct check_location *location,
                      const struct omptape_event *event, const struct omptape_definition *member,
                      uint64_t value)
{
    if (!check->promised || member->value[1] != OTF2_METRIC_ACCUMULATED_START ||
        member->value[0] != OTF2_TYPE_UINT64)
        return;
    uint64_t *last =
        omptape_check_obtain(check, &check->sums, location->definition->id, member->id, sizeof(*last));
    if (last == NULL)
        return;
    if (value < *last) {
        omptape_check_report_event(
            check, "metric", location, event, "%s: expected %" PRIu64 " or more, found %" PRIu64,
            omptape_check_label(check, OMPTAPE_DEF_METRIC_MEMBER, member->id).text, *last, value);
    }
    *last = value;
}

static void check_metric(struct omptape_check *check, const struct check_location *location,
                         const struct omptape_event *event)
{
    const struct omptape_definition *class = omptape_reader_metric_class(check->reader, event->refs[0].id);
    if (class == NULL)
        return;
    if (class->member_count != event->count) {
        omptape_check_report_event(check, "metric", location, event,
                                   "metric %" PRIu64 ": expected %" PRIu32 " values, found %" PRIu32,
                                   event->refs[0].id, class->member_count, event->count);
        return;
    }
    for (uint32_t i = 0; i < event->count; i++) {
        const struct omptape_definition *member =
            omptape_reader_find(check->reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[i]);
        if (member != NULL && member->value[0] != event->types[i]) {
            omptape_check_report_event(check, "metric", location, event,
                                       "%s: expected a value of type %" PRIu64 ", found type %u",
                                       omptape_check_label(check, OMPTAPE_DEF_METRIC_MEMBER, member->id).text,
                                       member->value[0], event->types[i]);
        } else if (member != NULL) {
            check_sum(check, location, event, member, event->values[i].unsigned_int);
        }
    }
}

static void check_program(struct omptape_check *check, const struct check_location *location,
                          const struct omptape_event *event)
{
    struct check_process *process = location->process;
    bool begins = event->kind == OMPTAPE_EVENT_PROGRAM_BEGIN;
    for (uint32_t i = 0; i < event->count; i++) {
        const struct omptape_reference argument = {
            .kind = OMPTAPE_DEF_STRING, .what = "argument", .id = event->strings[i]};
        omptape_check_reference(check, &argument, location, location->events, event->time, event->name);
    }
    if (begins ? process->begun : process->ended) {
        omptape_check_report_at(check, "program", location, location->events, event->time,
                                "expected one %s in each process, found a second", event->name);
    } else if (!begins && !process->begun) {
        omptape_check_report_at(check, "program", location, location->events, event->time,
                                "expected a ProgramBegin first, found %s", event->name);
    } else if (begins && process->ended) {
        omptape_check_report_at(check, "program", location, location->events, event->time,
                                "expected ProgramBegin before ProgramEnd, found it after");
    }
    process->begun = process->begun || begins;
    process->ended = process->ended || !begins;
}

static void check_measurement(struct omptape_check *check, struct check_location *location,
                              const struct omptape_event *event)
{
    bool on = event->value[0] == OTF2_MEASUREMENT_ON;
    enum check_measurement now = on ? CHECK_MEASUREMENT_ON : CHECK_MEASUREMENT_OFF;
    if (!on && event->value[0] != OTF2_MEASUREMENT_OFF) {
        omptape_check_report_event(check, "measurement", location, event,
                                   "expected on or off, found mode %" PRIu64, event->value[0]);
        return;
    }
    if (omptape_event_changes_thread(check->reader, event)) {
        location->measurement = now;
        return;
    }
    if (location->measurement == now) {
        omptape_check_report_event(check, "measurement", location, event,
                                   "expected measurement to be turned %s, found it turned %s again",
                                   on ? "off" : "on", on ? "on" : "off");
    }
    location->measurement = now;
    check->gaps = true; /* what came before the first "on" was not recorded either */
}

/* Devices' memory, and threads that OpenMP does not know. */
static void check_place(struct omptape_check *check, const struct check_location *location,
                        const struct omptape_event *event)
{
    if (check->promised && location->definition->value[0] == OTF2_LOCATION_TYPE_METRIC &&
        event->kind != OMPTAPE_EVENT_METRIC)
        omptape_check_report_event(check, "metric", location, event,
                                   "expected nothing but metrics on a location for these");
}

void omptape_check_details(struct omptape_check *check, struct check_location *location,
                           const struct omptape_event *event)
{
    check_place(check, location, event);
    switch (event->kind) {
    case OMPTAPE_EVENT_PARAMETER:
        check_parameter(check, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        check_metric(check, location, event);
        omptape_check_devices_metric(check, location, event);
        break;
    case OMPTAPE_EVENT_PROGRAM_BEGIN:
    case OMPTAPE_EVENT_PROGRAM_END:
        check_program(check, location, event);
        break;
    case OMPTAPE_EVENT_MEASUREMENT:
        check_measurement(check, location, event);
        break;
    case OMPTAPE_EVENT_BUFFER_FLUSH:
        if (event->value[0] < event->time) {
            omptape_check_report_event(check, "time", location, event,
                                       "expected it to stop after it starts, found stop time %" PRIu64,
                                       event->value[0]);
        }
        break;
    default:
        break;
    }
}
