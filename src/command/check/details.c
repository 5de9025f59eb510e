/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies single events: attributes, parameters, metrics, flushes, program begin and end, measurement on and
 * off, samples, creation and destruction of communicators. Also verifies markers. Called by events.c and
 * check.c.
 */
#include "src/command/check/state.h"
#include <omptape/properties.h>

#include <inttypes.h>
#include <math.h>

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

/* Checks that an accumulated metric of an omptape archive never decreases. */
static void check_sum(struct omptape_check *check, const struct check_location *location,
                      const struct omptape_event *event, const struct omptape_definition *member,
                      uint64_t value)
{
    if (!check->is_own_archive || member->value[1] != OTF2_METRIC_ACCUMULATED_START ||
        member->value[0] != OTF2_TYPE_UINT64)
        return;
    uint64_t *last = omptape_pairs_obtain(&check->sums, &check->arena, location->definition->id, member->id,
                                          sizeof(*last));
    if (last == NULL)
        return;
    if (value < *last) {
        omptape_check_report_event(
            check, "metric", location, event, "%s: expected %" PRIu64 " or more, found %" PRIu64,
            omptape_check_label(check, OMPTAPE_DEF_METRIC_MEMBER, member->id).text, *last, value);
    }
    *last = value;
}

/* Checks the power of a node's zone in an omptape archive. */
static void check_power(struct omptape_check *check, const struct check_location *location,
                        const struct omptape_event *event, double power)
{
    if (check->is_own_archive && location->definition->value[0] == OTF2_LOCATION_TYPE_METRIC &&
        !(isfinite(power) && power >= 0))
        omptape_check_report_event(check, "metric", location, event, "expected 0 W or more, found %g", power);
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
        } else if (event->types[i] == OTF2_TYPE_DOUBLE) {
            check_power(check, location, event, event->values[i].floating_point);
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
    check->gaps = true; /* events before the first "on" were not recorded either */
}

void omptape_check_event_allowed(struct omptape_check *check, const struct check_location *location,
                                 const struct omptape_event *event)
{
    if (!check->is_own_archive || event->kind == OMPTAPE_EVENT_METRIC)
        return;
    if (location->definition->value[0] == OTF2_LOCATION_TYPE_METRIC)
        omptape_check_report_event(check, "metric", location, event,
                                   "expected nothing but metrics on a location for these");
    else if (location->is_other && event->kind != OMPTAPE_EVENT_SAMPLE && !omptape_event_is_of_life(event))
        omptape_check_report_event(
            check, "metric", location, event,
            "expected nothing but metrics, samples, begin and end of a thread that OpenMP does not know");
}

void omptape_check_details(struct omptape_check *check, struct check_location *location,
                           const struct omptape_event *event)
{
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

/* Checks the region of the sample's own context; its ancestors are checked as contexts of other samples. */
static void check_context(struct omptape_check *check, const struct check_location *location,
                          const struct omptape_event *event)
{
    const struct omptape_definition *context =
        omptape_reader_find(check->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    const struct omptape_definition *region =
        context != NULL ? omptape_reader_find(check->reader, OMPTAPE_DEF_REGION, context->refs[0].id) : NULL;
    if (region != NULL && region->value[1] != OTF2_PARADIGM_SAMPLING &&
        region->value[1] != OTF2_PARADIGM_OPENMP)
        omptape_check_report_event(check, "sample", location, event,
                                   "expected a function or a construct, found %s",
                                   omptape_check_label(check, OMPTAPE_DEF_REGION, region->id).text);
}

/* In omptape's archives, samples are on threads, while measurement is on, in contexts of functions or
 * constructs. A sample must not be the first event of a thread that OpenMP knows. */
void omptape_check_sample(struct omptape_check *check, struct check_location *location,
                          const struct omptape_event *event)
{
    check->seen.samples++;
    if (!check->is_own_archive)
        return;
    if (location->definition->value[0] != OTF2_LOCATION_TYPE_CPU_THREAD)
        omptape_check_report_event(check, "sample", location, event,
                                   "expected a thread, found a location of type %" PRIu64,
                                   location->definition->value[0]);
    if (location->events == 1 && !location->is_other)
        omptape_check_report_event(check, "sample", location, event,
                                   "expected other events of the thread before it, found none");
    if (location->measurement == CHECK_MEASUREMENT_OFF)
        omptape_check_report_event(check, "sample", location, event,
                                   "expected measurement to be on, found it off");
    check_context(check, location, event);
}

void omptape_check_samples_end(struct omptape_check *check)
{
    const uint64_t is_own_archive = omptape_reader_number_of(check->reader, -1, OMPTAPE_KEY_SAMPLES);
    /* A profile contains the samples only in its sums. */
    const bool summed = omptape_reader_number_of(check->reader, -1, OMPTAPE_KEY_PROFILE) > 0;
    if (check->is_own_archive && !summed && check->seen.samples != is_own_archive)
        omptape_check_report(check, "sample",
                             "expected %" PRIu64 " samples (the property %s), found %" PRIu64, is_own_archive,
                             OMPTAPE_KEY_SAMPLES, check->seen.samples);
}

/* Checks that communicators with creation events are created and destroyed alternately in each process. A
 * thread may destroy what another thread has created. */
void omptape_check_comm_events(struct omptape_check *check, struct check_location *location,
                               const struct omptape_event *event)
{
    const uint64_t comm = event->refs[0].id;
    const bool made = event->kind == OMPTAPE_EVENT_COMM_CREATE;
    const struct omptape_definition *definition = omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, comm);
    bool *is_there =
        omptape_pairs_obtain(&location->process->created_comms, &check->arena, 0, comm, sizeof(*is_there));
    if (is_there == NULL)
        return;
    if ((definition->value[1] & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS) == 0)
        omptape_check_report_event(
            check, "communicator", location, event,
            "%s: expected the flag CREATE_DESTROY_EVENTS in its definition, found none",
            omptape_check_label(check, OMPTAPE_DEF_COMM, comm).text);
    if (*is_there == made && !check->gaps)
        omptape_check_report_event(
            check, "communicator", location, event, "%s: expected it to be %s, found it %s",
            omptape_check_label(check, OMPTAPE_DEF_COMM, comm).text, made ? "freed before" : "made before",
            made ? "made" : "freed, or never made");
    *is_there = made;
}

bool omptape_check_marker(void *data, const struct omptape_marker *marker)
{
    struct omptape_check *check = data;
    const struct omptape_reader *reader = check->reader;
    check->seen.markers++;
    struct check_label subject;
    snprintf(subject.text, sizeof(subject.text), "marker %" PRIu64 " (in file order)", check->seen.markers);
    omptape_check_reference(check, &marker->definition, NULL, 0, 0, subject.text);
    omptape_check_reference(check, &marker->scope, NULL, 0, 0, subject.text);
    if (!marker->scope_known)
        omptape_check_report(check, "marker", "%s: expected a known scope, found another", subject.text);
    uint64_t last = reader->clock_offset + reader->clock_length;
    if (reader->clocks > 0 && (marker->time < reader->clock_offset || marker->time > last ||
                               marker->duration > last - marker->time)) {
        omptape_check_report(check, "marker",
                             "%s: expected a time in the trace's range [%" PRIu64 ", %" PRIu64
                             "], found %" PRIu64 " for %" PRIu64,
                             subject.text, reader->clock_offset, last, marker->time, marker->duration);
    }
    return !omptape_check_stopped(check);
}

void omptape_check_marker_definitions(struct omptape_check *check, size_t first)
{
    for (size_t i = first; i < check->reader->definition_count && !omptape_check_stopped(check); i++) {
        const struct omptape_definition *definition = check->reader->definitions[i];
        if (omptape_reader_find(check->reader, OMPTAPE_DEF_MARKER, definition->id) != definition) {
            omptape_check_report(check, "marker",
                                 "marker definition %" PRIu64
                                 ": expected one with this id, found a second (duplicate)",
                                 definition->id);
        }
    }
}
