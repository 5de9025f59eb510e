/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates target constructs, data operations, submissions and maps on the host's timeline. Devices become
 * markers and properties.
 */
#include "writers/devices/devices.h"
#include "writers/regions/kinds.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"
#include <omptape/ompt.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <string.h>

/* Not the number of any device. */
static const int32_t NO_DEVICE = INT32_MIN;

static enum omptape_region_kind target_kind(unsigned kind)
{
    switch (kind) {
    case ompt_target_enter_data:
    case ompt_target_enter_data_nowait:
        return OMPTAPE_REGION_TARGET_ENTER_DATA;
    case ompt_target_exit_data:
    case ompt_target_exit_data_nowait:
        return OMPTAPE_REGION_TARGET_EXIT_DATA;
    case ompt_target_update:
    case ompt_target_update_nowait:
        return OMPTAPE_REGION_TARGET_UPDATE;
    default:
        return OMPTAPE_REGION_TARGET;
    }
}

/* Returns the site of the region just entered, distinguished from similar ones (sites.h). */
static uint64_t entered_site(const struct omptape_location *location, uint64_t site)
{
    const struct omptape_open_region *open = omptape_stack_innermost(location);
    return open != NULL ? open->site : site;
}

/* Announces the region just entered to the device's timeline, shown unless it is hidden on the host's. */
static void begin_on_device(struct omptape_writer *writer, struct omptape_location *location,
                            struct omptape_operation *operation)
{
    const struct omptape_open_region *open = omptape_stack_innermost(location);
    operation->begin = omptape_location_moment(location).time;
    if (operation->end != 0)
        operation->end = operation->begin;
    operation->host = location;
    operation->site = entered_site(location, operation->site);
    operation->hidden = (open != NULL && open->hidden) || (writer->paused && !writer->forgetting);
    omptape_host_operation_begin(writer, operation);
}

void omptape_target(struct omptape_writer *writer, struct omptape_location *location,
                    const struct omptape_record *record, uint64_t time)
{
    unsigned kind = omptape_endpoint_value(record->a);
    if (omptape_endpoint(record->a) != ompt_scope_end) {
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_DEVICE, record->b);
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TARGET, record->p[0]);
        if (record->p[2] != 0)
            omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TASK, record->p[2]);
        omptape_stack_note_kind(writer, kind, ompt_target_update_nowait);
        OMPTAPE_ENTER(writer, location, time, .kind = target_kind(kind), .class = OMPTAPE_CLASS_TARGET,
                      .key = (uint16_t)kind, .id = record->p[0], .address = record->p[1]);
        omptape_host_target_begin(writer, record->p[0],
                                  &(struct omptape_target){.task = record->p[2],
                                                           .site = entered_site(location, record->p[1]),
                                                           .device = (int32_t)record->b});
    }
    if (omptape_endpoint(record->a) != ompt_scope_begin) {
        omptape_host_target_end(writer, record->p[0]);
        omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_TARGET, OMPTAPE_ANY_KEY,
                                   record->p[0]);
    }
}

/* Returns the site of the target construct, because most runtimes report no site of an operation. Returns
 * 0 if `address` is known or there is no construct. */
static uint64_t target_site_without(const struct omptape_location *location, uint64_t address)
{
    const struct omptape_open_region *target =
        omptape_stack_find(location, OMPTAPE_CLASS_TARGET, OMPTAPE_ANY_KEY, 0);
    return address != 0 || target == NULL ? 0 : target->site;
}

static void set_operation(struct omptape_writer *writer, uint64_t operation, uint64_t target)
{
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_OPERATION, operation);
    if (target != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TARGET, target);
}

/* The source address belongs to the host, except for a transfer from the device and a delete. */
static void set_data_op(struct omptape_writer *writer, const struct omptape_record *record,
                        enum omptape_region_kind kind)
{
    bool from_device = kind == OMPTAPE_REGION_TARGET_FROM_DEVICE || kind == OMPTAPE_REGION_TARGET_DELETE;
    int32_t source = (int16_t)(record->b & 0xffffU);
    int32_t destination = (int16_t)(record->b >> 16);
    set_operation(writer, record->p[0], record->p[1]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_BYTES, record->p[2]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_SOURCE_DEVICE, (uint32_t)source);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_DEVICE, (uint32_t)destination);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_HOST_ADDRESS, record->p[from_device ? 4 : 3]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_DEVICE_ADDRESS, record->p[from_device ? 3 : 4]);
}

/* The address of allocated memory is known only at the end. */
static void end_operation(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time, enum omptape_region_kind kind,
                          uint64_t destination_address)
{
    struct omptape_open_region *open =
        omptape_stack_find(location, OMPTAPE_CLASS_OPERATION, OMPTAPE_ANY_KEY, record->p[0]);
    if (open == NULL)
        return;
    if (kind == OMPTAPE_REGION_TARGET_ALLOC && open->written && destination_address != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_DEVICE_ADDRESS, destination_address);
    omptape_parallel_leave(writer, location, time, open, false);
}

static void begin_data_op(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time, enum omptape_region_kind kind)
{
    bool from_device = kind == OMPTAPE_REGION_TARGET_FROM_DEVICE || kind == OMPTAPE_REGION_TARGET_DELETE;
    int32_t source = (int16_t)(record->b & 0xffffU);
    int32_t destination = (int16_t)(record->b >> 16);
    bool single = omptape_endpoint(record->a) != ompt_scope_begin;
    begin_on_device(writer, location,
                    &(struct omptape_operation){.id = record->p[0],
                                                .target = record->p[1],
                                                .site = record->p[5],
                                                .end = single ? time : 0,
                                                .bytes = record->p[2],
                                                .source_address = record->p[3],
                                                .destination_address = record->p[4],
                                                .device = from_device ? source : destination,
                                                .peer = from_device ? destination : source,
                                                .kind = kind,
                                                .type = (uint8_t)omptape_endpoint_value(record->a)});
}

void omptape_target_data_op(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    enum omptape_region_kind kind = omptape_region_of_operation(omptape_endpoint_value(record->a));
    if (omptape_endpoint(record->a) != ompt_scope_end) {
        set_data_op(writer, record, kind);
        omptape_stack_note_kind(writer, omptape_endpoint_value(record->a), ompt_target_data_delete_async);
        OMPTAPE_ENTER(writer, location, time, .kind = kind, .class = OMPTAPE_CLASS_OPERATION,
                      .id = record->p[0], .address = record->p[5],
                      .site = target_site_without(location, record->p[5]));
        begin_data_op(writer, location, record, time, kind);
    }
    if (omptape_endpoint(record->a) != ompt_scope_begin) {
        bool single = omptape_endpoint(record->a) != ompt_scope_end;
        uint64_t destination_address = record->p[single ? 4 : 1];
        end_operation(writer, location, record, time, kind, destination_address);
        omptape_host_operation_end(writer, record->p[0], omptape_location_time(location, time),
                                   destination_address);
    }
}

void omptape_target_submit(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    if (omptape_endpoint(record->a) != ompt_scope_end) {
        set_operation(writer, record->p[0], record->p[1]);
        OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_TARGET_SUBMIT,
                      .class = OMPTAPE_CLASS_OPERATION, .id = record->p[0],
                      .site = target_site_without(location, 0));
        const struct omptape_open_region *open = omptape_stack_innermost(location);
        if (open != NULL && open->written)
            omptape_archive_parameter(&writer->archive, location->events, location->last,
                                      OMPTAPE_PARAMETER_TEAMS_REQUESTED, record->b);
        begin_on_device(writer, location,
                        &(struct omptape_operation){.id = record->p[0],
                                                    .target = record->p[1],
                                                    .device = NO_DEVICE,
                                                    .peer = NO_DEVICE,
                                                    .requested = record->b,
                                                    .kind = OMPTAPE_REGION_KERNEL});
    }
    if (omptape_endpoint(record->a) != ompt_scope_begin) {
        omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_OPERATION, OMPTAPE_ANY_KEY,
                                   record->p[0]);
        omptape_host_operation_end(writer, record->p[0], omptape_location_time(location, time), 0);
    }
}

void omptape_target_map(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TARGET, record->p[0]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_HOST_ADDRESS, record->p[1]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_DEVICE_ADDRESS, record->p[2]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_BYTES, record->p[3]);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS,
                        omptape_archive_format(&writer->strings, "0x%x", record->b));
    const struct omptape_enter enter = {.kind = OMPTAPE_REGION_TARGET_MAP,
                                        .class = OMPTAPE_CLASS_INNER,
                                        .address = record->p[4],
                                        .site = target_site_without(location, record->p[4])};
    const struct omptape_stack_point point = omptape_stack_begin_point(writer, location, time, &enter);
    omptape_stack_end_point(writer, location, &point);
}

static void note_device(struct omptape_writer *writer, const struct omptape_record *record, uint64_t time,
                        char *text, size_t bytes)
{
    char name[32];
    size_t next = 0;
    const char *type = omptape_device_text(record, 0, &next);
    const char *documentation = next > 0 ? omptape_device_text(record, next, NULL) : "";
    snprintf(name, sizeof(name), "device.%d", (int)record->b);
    snprintf(text, bytes, "%s%s%s", type, documentation[0] != '\0' ? ": " : "", documentation);
    omptape_archive_property(&writer->archive, OMPTAPE_INFO_PREFIX, name, text);
    omptape_device_begin(writer, (int32_t)record->b, type, time);
    snprintf(text, bytes, "device %d (%s) initialized", (int)record->b, type);
}

void omptape_target_device(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    char text[1024];
    int device = (int)record->b;
    switch (record->kind) {
    case OMPTAPE_DEVICE_INITIALIZE:
        note_device(writer, record, time, text, sizeof(text));
        break;
    case OMPTAPE_DEVICE_FINALIZE:
        snprintf(text, sizeof(text), "device %d finalized", device);
        break;
    case OMPTAPE_DEVICE_LOAD: {
        const char *file = omptape_device_text(record, 4, NULL);
        snprintf(text, sizeof(text), "code loaded onto device %d: module %llu, %llu bytes%s%s", device,
                 (unsigned long long)record->p[0], (unsigned long long)record->p[1],
                 file[0] != '\0' ? ", " : "", file);
        break;
    }
    default:
        snprintf(text, sizeof(text), "module %llu unloaded from device %d", (unsigned long long)record->p[0],
                 device);
        break;
    }
    omptape_archive_mark(&writer->archive, omptape_location_time(location, time), location->ref,
                         OMPTAPE_MARKER_DEVICE, text);
}
