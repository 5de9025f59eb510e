/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the records of devices go. Called by the translation for each.
 */
#include "writers/devices/devices.h"

#include "writers/devices/clock.h"
#include "writers/devices/host.h"
#include "writers/devices/list.h"
#include "writers/devices/records.h"
#include "writers/devices/streams.h"
#include "writers/devices/text.h"
#include "writers/devices/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int omptape_device_create(struct omptape_writer *writer)
{
    writer->devices = calloc(1, sizeof(*writer->devices));
    return writer->devices != NULL ? 0 : -ENOMEM;
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = strdup(text);
}

void omptape_device_begin(struct omptape_writer *writer, int32_t number, const char *type, uint64_t time)
{
    struct omptape_device *device = omptape_device_get(writer, number);
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

/* Fewer than a clock keeps one by one, and more than what it takes to know the times well. */
enum { ANCHORS_TO_DATE = 2048 };

static void take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                        const struct omptape_record *record)
{
    if (device->anchors_since++ == ANCHORS_TO_DATE) {
        omptape_track_date(writer, device);
        device->anchors_since = 0;
    }
    omptape_dating_take_anchor(writer, device, record);
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

/* The least payload of each kind, from OMPTAPE_FIRST_OF_DEVICES on. */
static const uint8_t least_words[] = {1, 0, 3, 10, 6};

void omptape_device_translate(struct omptape_writer *writer, const struct omptape_record *record)
{
    unsigned index = record->kind - (unsigned)OMPTAPE_FIRST_OF_DEVICES;
    if (index >= sizeof(least_words) || record->words < OMPTAPE_RECORD_HEADER_WORDS + least_words[index])
        return;
    struct omptape_device *device = omptape_device_get(writer, (int32_t)record->b);
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

void omptape_device_finish(struct omptape_writer *writer)
{
    struct omptape_devices *devices = writer->devices;
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_track_join(writer, devices->list[i]);
    omptape_host_finish(writer);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_device_scopes_finish(writer, devices->list[i]);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_track_finish(writer, devices->list[i]);
    for (uint32_t i = 0; i < devices->count; i++)
        omptape_streams_finish(writer, devices->list[i]);
}

static void free_device(struct omptape_device *device)
{
    omptape_track_free(device);
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
