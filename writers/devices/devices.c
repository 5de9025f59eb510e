/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dispatches the records of devices. Called by the translation for each of them.
 */
#include "writers/devices/devices.h"

#include "src/core/array.h"
#include "writers/devices/clock.h"
#include "writers/devices/state.h"
#include "writers/regions/references.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int omptape_device_create(struct omptape_writer *writer)
{
    writer->devices = calloc(1, sizeof(*writer->devices));
    return writer->devices != NULL ? 0 : -ENOMEM;
}

struct omptape_device *omptape_device_find(struct omptape_writer *writer, int32_t number)
{
    for (uint32_t i = 0; i < writer->devices->count; i++)
        if (writer->devices->list[i]->number == number)
            return writer->devices->list[i];
    return NULL;
}

/* Returns the device of this number, adding it if necessary. Returns NULL if out of memory. */
static struct omptape_device *get_device(struct omptape_writer *writer, int32_t number)
{
    struct omptape_devices *devices = writer->devices;
    struct omptape_device *device = omptape_device_find(writer, number);
    if (device != NULL)
        return device;
    if (!OMPTAPE_RESERVE(devices->list, devices->count + 1, &devices->capacity))
        return NULL;
    device = calloc(1, sizeof(*device));
    if (device == NULL)
        return NULL;
    device->number = number;
    device->opened = writer->begin;
    devices->list[devices->count++] = device;
    return device;
}

const char *omptape_device_text(const struct omptape_record *record, size_t at, size_t *next)
{
    size_t words = omptape_record_payload(record);
    if (at >= words)
        return "";
    const char *text = (const char *)&record->p[at];
    size_t length = strnlen(text, (words - at) * 8);
    if (length == (words - at) * 8)
        return "";
    if (next != NULL)
        *next = at + length / 8 + 1;
    return text;
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = strdup(text);
}

void omptape_device_begin(struct omptape_writer *writer, int32_t number, const char *type, uint64_t time)
{
    struct omptape_device *device = get_device(writer, number);
    if (device == NULL)
        return;
    device->opened = time;
    set_text(&device->type, type);
}

static void begin_tracing(struct omptape_writer *writer, struct omptape_device *device,
                          const struct omptape_record *record)
{
    size_t next = 0;
    device->producer = (enum omptape_device_producer)record->a;
    writer->devices->cuda |= device->producer == OMPTAPE_PRODUCER_CUPTI;
    set_text(&device->why, omptape_device_text(record, 0, &next));
    if (next > 0)
        set_text(&device->interface, omptape_device_text(record, next, NULL));
}

/* Anchors between two conversions of waiting times. Fewer than a clock stores without thinning, and enough
 * to convert times accurately. */
enum { ANCHORS_TO_DATE = 2048 };

static void take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                        const struct omptape_record *record)
{
    if (device->anchors_since++ == ANCHORS_TO_DATE) {
        omptape_intervals_convert(writer, device);
        device->anchors_since = 0;
    }
    omptape_device_add_anchor(writer, device, record);
}

static void take_sums(struct omptape_device *device, const struct omptape_record *record)
{
    enum { REFUSED = 1, INVALID = 4, LOST = 5, DROPPED = 6 };
    device->counts.refused = record->p[REFUSED];
    device->sums_invalid = record->p[INVALID];
    device->counts.lost = record->p[LOST];
    if (record->words > OMPTAPE_RECORD_HEADER_WORDS + DROPPED)
        device->counts.dropped = record->p[DROPPED];
}

/* Least payload of each kind in words, from OMPTAPE_FIRST_OF_DEVICES on. */
static const uint8_t min_words[] = {1, 0, 3, 10, 6};

void omptape_device_translate(struct omptape_writer *writer, const struct omptape_record *record)
{
    unsigned index = record->kind - (unsigned)OMPTAPE_FIRST_OF_DEVICES;
    if (index >= sizeof(min_words) || record->words < OMPTAPE_RECORD_HEADER_WORDS + min_words[index])
        return;
    struct omptape_device *device = get_device(writer, (int32_t)record->b);
    if (device == NULL)
        return;
    switch (record->kind) {
    case OMPTAPE_DEVICE_TRACING:
        begin_tracing(writer, device, record);
        break;
    case OMPTAPE_DEVICE_ANCHOR:
        take_anchor(writer, device, record);
        break;
    case OMPTAPE_DEVICE_RECORD:
        omptape_device_record(writer, device, record);
        break;
    case OMPTAPE_DEVICE_NATIVE:
        omptape_device_native(writer, device, record);
        break;
    default:
        take_sums(device, record);
        break;
    }
}

static void free_device(struct omptape_device *device)
{
    omptape_intervals_free(device);
    while (device->streams != NULL) {
        struct omptape_device_stream *stream = device->streams;
        device->streams = stream->all;
        free(stream);
    }
    if (device->clock != NULL)
        omptape_device_clock_free(device->clock);
    omptape_hash_free(&device->by_key);
    omptape_hash_free(&device->allocations);
    free(device->scopes);
    free(device->type);
    free(device->why);
    free(device->interface);
    free(device);
}

void omptape_device_free(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->devices->count; i++)
        free_device(writer->devices->list[i]);
    omptape_operations_free(&writer->devices->operations);
    free(writer->devices->list);
    free(writer->devices->ranks);
    free(writer->devices);
}

void omptape_host_target_begin(struct omptape_writer *writer, uint64_t id,
                               const struct omptape_target *target)
{
    omptape_operations_begin_target(&writer->devices->operations, id, target);
}

void omptape_host_target_end(struct omptape_writer *writer, uint64_t id)
{
    omptape_operations_end_target(&writer->devices->operations, id);
}

static void show_as_observed(struct omptape_writer *writer, struct omptape_operation *operation)
{
    struct omptape_device *device = omptape_device_find(writer, operation->device);
    if (device == NULL || operation->hidden)
        return;
    struct omptape_interval interval = {
        .begin = operation->begin,
        .end = operation->end != 0 ? operation->end : writer->last_time,
        .bytes = operation->bytes,
        .target = operation->target,
        .operation = operation,
        .region = omptape_references_get(writer, operation->kind, operation->site),
        .peer = omptape_device_find(writer, operation->peer) != NULL ? operation->peer : INT32_MIN,
        .lane = OMPTAPE_LANE_OBSERVED};
    omptape_operations_acquire(operation);
    omptape_intervals_add(writer, device, &interval);
}

/* Shows operations that left the table without a record as the host observed them. */
static void trim_table(struct omptape_writer *writer, bool all)
{
    struct omptape_operation *oldest;
    while ((oldest = omptape_operations_take_oldest(&writer->devices->operations, all)) != NULL) {
        if (!oldest->matched)
            show_as_observed(writer, oldest);
        omptape_operations_release(oldest);
    }
}

/* If the construct does not determine the device, chooses the side that the runtime announced as a device:
 * the destination if both are devices. */
static void find_device(struct omptape_writer *writer, struct omptape_operation *operation,
                        const struct omptape_target *target)
{
    if (target != NULL && operation->type == 0) {
        operation->device = target->device;
        return;
    }
    if (omptape_device_find(writer, operation->device) != NULL)
        return;
    if (omptape_device_find(writer, operation->peer) != NULL) {
        int32_t other = operation->device;
        operation->device = operation->peer;
        operation->peer = other;
    } else if (target != NULL) {
        operation->device = target->device;
    }
}

void omptape_host_operation_begin(struct omptape_writer *writer, const struct omptape_operation *model)
{
    struct omptape_operations *operations = &writer->devices->operations;
    const struct omptape_target *target = omptape_operations_target(operations, model->target);
    struct omptape_operation operation = *model;
    if (target != NULL)
        operation.task = target->task;
    if (target != NULL && operation.site == 0)
        operation.site = target->site;
    find_device(writer, &operation, target);
    if (omptape_operations_add(operations, &operation) != NULL)
        trim_table(writer, false);
}

/* Shows the operation at once if only the host observes this device, because no record will come. */
static void finish_observed(struct omptape_writer *writer, struct omptape_operation *operation)
{
    const struct omptape_device *device = omptape_device_find(writer, operation->device);
    if (operation->matched || device == NULL || device->producer != OMPTAPE_PRODUCER_HOST)
        return;
    operation->matched = true;
    operation->host_only = true;
    show_as_observed(writer, operation);
}

/* Device memory in use follows the host's requests, because not all records of devices contain it. */
static void note_memory(struct omptape_writer *writer, const struct omptape_operation *operation,
                        uint64_t time)
{
    struct omptape_device *device = omptape_device_find(writer, operation->device);
    int64_t change;
    if (device == NULL)
        return;
    if (operation->kind == OMPTAPE_REGION_TARGET_ALLOC && operation->destination_address != 0) {
        omptape_hash_put(&device->allocations, operation->destination_address,
                         (void *)(uintptr_t)operation->bytes);
        change = (int64_t)operation->bytes;
    } else if (operation->kind == OMPTAPE_REGION_TARGET_DELETE && operation->source_address != 0) {
        change = (int64_t)(0 - (uint64_t)(uintptr_t)omptape_hash_remove_key(&device->allocations,
                                                                            operation->source_address));
    } else {
        return;
    }
    omptape_streams_memory(writer, device, time, change, operation->hidden || writer->paused);
}

void omptape_host_operation_end(struct omptape_writer *writer, uint64_t id, uint64_t time,
                                uint64_t destination_address)
{
    struct omptape_operation *operation = omptape_operations_find(&writer->devices->operations, id);
    if (operation == NULL)
        return;
    /* The record may come from another thread, whose time is behind. */
    operation->end = time > operation->begin ? time : operation->begin;
    if (destination_address != 0)
        operation->destination_address = destination_address;
    note_memory(writer, operation, time);
    finish_observed(writer, operation);
}

void omptape_device_finish(struct omptape_writer *writer)
{
    struct omptape_devices *devices = writer->devices;
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_intervals_link(writer, devices->list[i]);
    /* Operations without a record are shown as the host observed them. */
    trim_table(writer, true);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_device_scopes_finish(writer, devices->list[i]);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_intervals_finish(writer, devices->list[i]);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_streams_finish(writer, devices->list[i]);
}
