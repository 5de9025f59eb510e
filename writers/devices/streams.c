/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of a device's locations is free, making them, and what is shown on them beside regions. Called by the
 * writer's translating thread.
 */
#include "writers/devices/streams.h"

#include "writers/devices/definitions.h"
#include "writers/model/locations.h"

#include <stdlib.h>

enum { MOST_NAMED = 1024 };

static uint64_t key_of(enum omptape_lane lane, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed & ~UINT64_C(7)) | ((uint64_t)lane << 1) | 1U;
}

static void leave_until(struct omptape_writer *writer, struct omptape_device_stream *stream, uint64_t time)
{
    while (stream->depth > 0 && stream->open_end[stream->depth - 1] <= time) {
        uint64_t end = stream->open_end[--stream->depth];
        omptape_archive_leave(&writer->archive, stream->location->events, end, stream->open[stream->depth],
                              false);
        stream->location->last = end;
    }
}

static bool is_free(struct omptape_writer *writer, struct omptape_device_stream *stream,
                    const struct omptape_interval *interval)
{
    if (stream->location->last > interval->begin)
        return false;
    leave_until(writer, stream, interval->begin);
    if (stream->depth == 0)
        return true;
    return stream->depth < OMPTAPE_MOST_NESTED && interval->end <= stream->open_end[stream->depth - 1];
}

static struct omptape_device_stream *add_stream(struct omptape_writer *writer, struct omptape_device *device,
                                                enum omptape_lane lane, uint64_t key, uint32_t ordinal,
                                                uint64_t time)
{
    struct omptape_device_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return NULL;
    stream->location = omptape_locations_add_device(writer, device, time);
    if (stream->location == NULL) {
        free(stream);
        return NULL;
    }
    stream->lane = lane;
    stream->key = key;
    stream->ordinal = ordinal;
    stream->location->name = omptape_device_stream_name(writer, device, stream);
    if (device->first_location == NULL)
        device->first_location = stream->location;
    stream->all = device->streams;
    device->streams = stream;
    return stream;
}

/* A location costs a file: of a device that names a unit for each thing it does, not all have one. */
static uint64_t known_key(const struct omptape_device *device, enum omptape_lane lane, uint64_t key)
{
    bool many = device->lane_counts[lane] >= MOST_NAMED;
    return many && omptape_hash_get(&device->by_key, key_of(lane, key)) == NULL ? 0 : key;
}

struct omptape_device_stream *omptape_streams_for(struct omptape_writer *writer,
                                                  struct omptape_device *device,
                                                  const struct omptape_interval *interval)
{
    enum omptape_lane lane = (enum omptape_lane)interval->lane;
    uint64_t key = known_key(device, lane, interval->key);
    uint64_t mixed = key_of(lane, key);
    struct omptape_device_stream *first = omptape_hash_get(&device->by_key, mixed);
    struct omptape_device_stream *last = NULL;
    uint32_t ordinal = 1;
    for (struct omptape_device_stream *stream = first; stream != NULL; stream = stream->next) {
        if (stream->key == key && is_free(writer, stream, interval))
            return stream;
        ordinal += stream->key == key;
        last = stream;
    }
    struct omptape_device_stream *added = add_stream(writer, device, lane, key, ordinal, interval->begin);
    if (added != NULL && last != NULL)
        last->next = added;
    else if (added != NULL)
        omptape_hash_put(&device->by_key, mixed, added);
    return added;
}

void omptape_streams_entered(struct omptape_writer *writer, struct omptape_device_stream *stream,
                             const struct omptape_interval *interval)
{
    stream->location->last = interval->begin;
    stream->open[stream->depth] = interval->region;
    stream->open_end[stream->depth] = interval->end;
    stream->depth++;
    if (interval->lane != OMPTAPE_LANE_THREAD)
        leave_until(writer, stream, interval->end);
}

struct omptape_location *omptape_streams_any(struct omptape_writer *writer, struct omptape_device *device)
{
    if (device->first_location == NULL) {
        enum omptape_lane lane =
            device->producer == OMPTAPE_PRODUCER_HOST ? OMPTAPE_LANE_OBSERVED : OMPTAPE_LANE_STREAM;
        struct omptape_device_stream *stream =
            add_stream(writer, device, lane, 0, 1, writer->shm->start_ticks);
        if (stream == NULL)
            return NULL;
        omptape_hash_put(&device->by_key, key_of(lane, 0), stream);
    }
    return device->first_location;
}

void omptape_streams_finish(struct omptape_writer *writer, struct omptape_device *device)
{
    for (struct omptape_device_stream *stream = device->streams; stream != NULL; stream = stream->all)
        leave_until(writer, stream, UINT64_MAX);
}

uint32_t omptape_streams_rank(struct omptape_writer *writer, struct omptape_location *location)
{
    struct omptape_devices *devices = writer->devices;
    if (location->rank_known)
        return location->rank;
    if (devices->rank_count == devices->rank_capacity) {
        uint32_t capacity = devices->rank_capacity != 0 ? devices->rank_capacity * 2 : 64;
        struct omptape_location **ranks = realloc(devices->ranks, capacity * sizeof(*ranks));
        if (ranks == NULL)
            return 0;
        devices->ranks = ranks;
        devices->rank_capacity = capacity;
    }
    location->rank_known = true;
    location->rank = devices->rank_count;
    devices->ranks[devices->rank_count++] = location;
    return location->rank;
}

void omptape_streams_memory(struct omptape_writer *writer, struct omptape_device *device, uint64_t time,
                            int64_t change, bool hidden)
{
    uint64_t freed = change < 0 ? 0 - (uint64_t)change : 0;
    device->memory += change > 0 ? (uint64_t)change : 0;
    device->memory -= freed < device->memory ? freed : device->memory;
    if (hidden || writer->forgetting)
        return;
    if (device->memory_location == NULL) {
        device->memory_location = omptape_locations_add_device(writer, device, time);
        if (device->memory_location == NULL)
            return;
        device->memory_location->metric = true;
        device->memory_number = writer->devices->memory_count++;
        device->memory_location->name = omptape_device_stream_name(writer, device, NULL);
    }
    struct omptape_location *location = device->memory_location;
    location->last = omptape_location_time(location, time);
    omptape_archive_metric(&writer->archive, location->events, location->last,
                           omptape_device_memory_metric(device), device->memory);
}
