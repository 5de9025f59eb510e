/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies single events: attributes, parameters, metrics, flushes, program begin and end, measurement on and
 * off, samples, creation and destruction of communicators. Also verifies markers.
 */
#include "src/command/check/state.h"
#include <inttypes.h>
#include <math.h>
#include <omptape/properties.h>

static void check_attribute(struct check *check, const struct omptape_event *event, uint32_t index)
{
    OTF2_AttributeRef id = OTF2_UNDEFINED_ATTRIBUTE;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(event->attributes, index, &id, &type, &value) != OTF2_SUCCESS)
        return;
    const struct omptape_reference attribute = {.kind = OMPTAPE_DEF_ATTRIBUTE, .what = "attribute", .id = id};
    if (!check_reference(check, &attribute, NULL))
        return;
    struct check_label label = check_label(check, OMPTAPE_DEF_ATTRIBUTE, id);
    const struct omptape_definition *definition =
        omptape_reader_find(check->reader, OMPTAPE_DEF_ATTRIBUTE, id);
    if (definition->value[0] != type) {
        check_report(check, "attribute", "%s: expected a value of type %" PRIu64 ", found type %u",
                     label.text, definition->value[0], type);
    }
    struct omptape_reference reference = omptape_value_reference(type, value);
    check_reference(check, &reference, label.text);
}

void check_attributes(struct check *check, const struct omptape_event *event)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(event->attributes);
    for (uint32_t i = 0; i < count; i++)
        check_attribute(check, event, i);
}

static void check_parameter(struct check *check, const struct check_location *location,
                            const struct omptape_event *event)
{
    const struct omptape_definition *parameter =
        omptape_reader_find(check->reader, OMPTAPE_DEF_PARAMETER, event->refs[0].id);
    if (location->open_regions == 0) {
        check_report(check, "parameter", "expected an open region, found none (%s)",
                     check_label(check, OMPTAPE_DEF_PARAMETER, event->refs[0].id).text);
    }
    if (parameter != NULL && parameter->value[0] != event->value[0]) {
        check_report(check, "parameter", "%s: expected a value of type %" PRIu64 ", found type %" PRIu64,
                     check_label(check, OMPTAPE_DEF_PARAMETER, parameter->id).text, parameter->value[0],
                     event->value[0]);
    }
}

/* Checks that an accumulated metric of an omptape archive never decreases. */
static void check_sum(struct check *check, const struct check_location *location,
                      const struct omptape_definition *member, uint64_t value)
{
    if (!check->is_own_archive || member->value[1] != OTF2_METRIC_ACCUMULATED_START ||
        member->value[0] != OTF2_TYPE_UINT64)
        return;
    uint64_t *last = omptape_pairs_obtain(&check->sums, &check->arena, location->definition->id, member->id,
                                          sizeof(*last));
    if (last == NULL)
        return;
    if (value < *last) {
        check_report(check, "metric", "%s: expected %" PRIu64 " or more, found %" PRIu64,
                     check_label(check, OMPTAPE_DEF_METRIC_MEMBER, member->id).text, *last, value);
    }
    *last = value;
}

/* Checks the power of a node's zone in an omptape archive. */
static void check_power(struct check *check, const struct check_location *location, double power)
{
    if (check->is_own_archive && location->definition->value[0] == OTF2_LOCATION_TYPE_METRIC &&
        !(isfinite(power) && power >= 0))
        check_report(check, "metric", "expected 0 W or more, found %g", power);
}

static void check_metric(struct check *check, const struct check_location *location,
                         const struct omptape_event *event)
{
    const struct omptape_definition *class = omptape_reader_metric_class(check->reader, event->refs[0].id);
    if (class == NULL)
        return;
    if (class->member_count != event->count) {
        check_report(check, "metric", "metric %" PRIu64 ": expected %" PRIu32 " values, found %" PRIu32,
                     event->refs[0].id, class->member_count, event->count);
        return;
    }
    for (uint32_t i = 0; i < event->count; i++) {
        const struct omptape_definition *member =
            omptape_reader_find(check->reader, OMPTAPE_DEF_METRIC_MEMBER, class->members[i]);
        if (member != NULL && member->value[0] != event->types[i]) {
            check_report(check, "metric", "%s: expected a value of type %" PRIu64 ", found type %u",
                         check_label(check, OMPTAPE_DEF_METRIC_MEMBER, member->id).text, member->value[0],
                         event->types[i]);
        } else if (event->types[i] == OTF2_TYPE_DOUBLE) {
            check_power(check, location, event->values[i].floating_point);
        } else if (member != NULL) {
            check_sum(check, location, member, event->values[i].unsigned_int);
        }
    }
}

static void check_program(struct check *check, const struct check_location *location,
                          const struct omptape_event *event)
{
    struct check_process *process = location->process;
    bool begins = event->kind == OMPTAPE_EVENT_PROGRAM_BEGIN;
    for (uint32_t i = 0; i < event->count; i++) {
        const struct omptape_reference argument = {
            .kind = OMPTAPE_DEF_STRING, .what = "argument", .id = event->strings[i]};
        check_reference(check, &argument, NULL);
    }
    if (begins ? process->begun : process->ended)
        check_report(check, "program", "expected one in each process, found a second");
    else if (!begins && !process->begun)
        check_report(check, "program", "expected a ProgramBegin before it, found none");
    else if (begins && process->ended)
        check_report(check, "program", "expected it before ProgramEnd, found it after");
    process->begun = process->begun || begins;
    process->ended = process->ended || !begins;
}

static void check_measurement(struct check *check, struct check_location *location,
                              const struct omptape_event *event)
{
    bool on = event->value[0] == OTF2_MEASUREMENT_ON;
    enum check_measurement now = on ? CHECK_MEASUREMENT_ON : CHECK_MEASUREMENT_OFF;
    if (!on && event->value[0] != OTF2_MEASUREMENT_OFF) {
        check_report(check, "measurement", "expected on or off, found mode %" PRIu64, event->value[0]);
        return;
    }
    if (omptape_event_changes_thread(check->reader, event)) {
        location->measurement = now;
        return;
    }
    if (location->measurement == now) {
        check_report(check, "measurement", "expected measurement to be turned %s, found it turned %s again",
                     on ? "off" : "on", on ? "on" : "off");
    }
    location->measurement = now;
    check->gaps = true; /* events before the first "on" were not recorded either */
}

void check_event_allowed(struct check *check, const struct check_location *location,
                         const struct omptape_event *event)
{
    if (!check->is_own_archive || event->kind == OMPTAPE_EVENT_METRIC)
        return;
    if (location->definition->value[0] == OTF2_LOCATION_TYPE_METRIC)
        check_report(check, "metric", "expected nothing but metrics on a location for these");
    else if (location->is_other && event->kind != OMPTAPE_EVENT_SAMPLE &&
             !omptape_event_is_thread_lifetime(event))
        check_report(
            check, "metric",
            "expected nothing but metrics, samples, begin and end of a thread that OpenMP does not know");
}

void check_details(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_PARAMETER:
        check_parameter(check, location, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        check_metric(check, location, event);
        check_devices_metric(check, location, event);
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
            check_report(check, "time", "expected it to stop after it starts, found stop time %" PRIu64,
                         event->value[0]);
        }
        break;
    default:
        break;
    }
}

/* Checks the region of the sample's own context; its ancestors are checked as contexts of other samples. */
static void check_context(struct check *check, const struct omptape_event *event)
{
    const struct omptape_definition *context =
        omptape_reader_find(check->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    const struct omptape_definition *region =
        context != NULL ? omptape_reader_find(check->reader, OMPTAPE_DEF_REGION, context->refs[0].id) : NULL;
    if (region != NULL && region->value[1] != OTF2_PARADIGM_SAMPLING &&
        region->value[1] != OTF2_PARADIGM_OPENMP)
        check_report(check, "sample", "expected a function or a construct, found %s",
                     check_label(check, OMPTAPE_DEF_REGION, region->id).text);
}

/* In omptape's archives, samples are on threads, while measurement is on, in contexts of functions or
 * constructs. A sample must not be the first event of a thread that OpenMP knows. */
void check_sample(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    check->seen.samples++;
    if (!check->is_own_archive)
        return;
    if (location->definition->value[0] != OTF2_LOCATION_TYPE_CPU_THREAD)
        check_report(check, "sample", "expected a thread, found a location of type %" PRIu64,
                     location->definition->value[0]);
    if (location->events == 1 && !location->is_other)
        check_report(check, "sample", "expected other events of the thread before it, found none");
    if (location->measurement == CHECK_MEASUREMENT_OFF)
        check_report(check, "sample", "expected measurement to be on, found it off");
    check_context(check, event);
}

void check_samples_end(struct check *check)
{
    const uint64_t is_own_archive = omptape_reader_number_of(check->reader, -1, OMPTAPE_KEY_SAMPLES);
    /* A profile contains the samples only in its sums. */
    const bool summed = omptape_reader_number_of(check->reader, -1, OMPTAPE_KEY_PROFILE) > 0;
    if (check->is_own_archive && !summed && check->seen.samples != is_own_archive)
        check_report(check, "sample", "expected %" PRIu64 " samples (the property %s), found %" PRIu64,
                     is_own_archive, OMPTAPE_KEY_SAMPLES, check->seen.samples);
}

/* Checks that communicators with creation events are created and destroyed alternately in each process. A
 * thread may destroy what another thread has created. */
void check_comm_events(struct check *check, struct check_location *location,
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
        check_report(check, "communicator",
                     "%s: expected the flag CREATE_DESTROY_EVENTS in its definition, found none",
                     check_label(check, OMPTAPE_DEF_COMM, comm).text);
    if (*is_there == made && !check->gaps)
        check_report(check, "communicator", "%s: expected it to be %s, found it %s",
                     check_label(check, OMPTAPE_DEF_COMM, comm).text, made ? "freed before" : "made before",
                     made ? "made" : "freed, or never made");
    *is_there = made;
}

bool check_marker(void *data, const struct omptape_marker *marker)
{
    struct check *check = data;
    const struct omptape_reader *reader = check->reader;
    check->seen.markers++;
    struct check_label subject;
    snprintf(subject.text, sizeof(subject.text), "marker %" PRIu64 " (in file order)", check->seen.markers);
    check_reference(check, &marker->definition, subject.text);
    check_reference(check, &marker->scope, subject.text);
    if (!marker->scope_known)
        check_report(check, "marker", "%s: expected a known scope, found another", subject.text);
    uint64_t last = reader->clock_offset + reader->clock_length;
    if (reader->clocks > 0 && (marker->time < reader->clock_offset || marker->time > last ||
                               marker->duration > last - marker->time)) {
        check_report(check, "marker",
                     "%s: expected a time in the trace's range [%" PRIu64 ", %" PRIu64 "], found %" PRIu64
                     " for %" PRIu64,
                     subject.text, reader->clock_offset, last, marker->time, marker->duration);
    }
    return !check_stopped(check);
}

void check_marker_definitions(struct check *check, size_t first)
{
    for (size_t i = first; i < check->reader->definition_count && !check_stopped(check); i++) {
        const struct omptape_definition *definition = check->reader->definitions[i];
        if (omptape_reader_find(check->reader, OMPTAPE_DEF_MARKER, definition->id) != definition) {
            check_report(check, "marker",
                         "marker definition %" PRIu64
                         ": expected one with this id, found a second (duplicate)",
                         definition->id);
        }
    }
}
