/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses, creates and names a device's locations, and writes their memory metric.
 */
#include "writers/devices/state.h"

#include "src/core/array.h"
#include "writers/state/locations.h"

#include <stdio.h>
#include <stdlib.h>

/* Most locations of one lane that are named after the device's keys. */
enum { MAX_NAMED = 1024 };

static uint64_t key_of(enum omptape_lane lane, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed & ~UINT64_C(7)) | ((uint64_t)lane << 1) | 1U;
}

const char *omptape_device_name(const struct omptape_device *device, char *text, size_t bytes)
{
    bool cuda = device->number >= OMPTAPE_FIRST_CUDA_DEVICE;
    snprintf(text, bytes, "%s %d", cuda ? "CUDA device" : "Device",
             (int)(device->number - (cuda ? OMPTAPE_FIRST_CUDA_DEVICE : 0)));
    return text;
}

static const char *lane_name(const struct omptape_device *device, enum omptape_lane lane)
{
    switch (lane) {
    case OMPTAPE_LANE_SYNC:
        return "waits for stream";
    case OMPTAPE_LANE_THREAD:
        return "thread";
    case OMPTAPE_LANE_OBSERVED:
        return "host-observed";
    default:
        return device->producer == OMPTAPE_PRODUCER_CUPTI ? "stream" : "unit";
    }
}

static OTF2_StringRef stream_name(struct omptape_writer *writer, struct omptape_device *device,
                                  const struct omptape_device_stream *stream)
{
    char name[64];
    struct omptape_archive_strings *strings = &writer->strings;
    omptape_device_name(device, name, sizeof(name));
    if (stream == NULL)
        return omptape_archive_format(strings, "%s memory", name);
    unsigned place = ++device->lane_counts[stream->lane];
    if (stream->lane == OMPTAPE_LANE_OBSERVED)
        return omptape_archive_format(strings, "%s host-observed %u", name, place);
    /* A virtual stream, because the device names none. CUDA's stream 0 is a real stream. */
    if (stream->lane == OMPTAPE_LANE_STREAM && stream->key == 0 && device->producer != OMPTAPE_PRODUCER_CUPTI)
        return omptape_archive_format(strings, "%s stream %u", name, place);
    const char *lane = lane_name(device, stream->lane);
    if (stream->ordinal == 1)
        return omptape_archive_format(strings, "%s %s %llu", name, lane, (unsigned long long)stream->key);
    return omptape_archive_format(strings, "%s %s %llu (%u)", name, lane, (unsigned long long)stream->key,
                                  stream->ordinal);
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
    return stream->depth < OMPTAPE_MAX_NESTED && interval->end <= stream->open_end[stream->depth - 1];
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
    stream->location->on_device.name = stream_name(writer, device, stream);
    if (device->first_location == NULL)
        device->first_location = stream->location;
    stream->all = device->streams;
    device->streams = stream;
    return stream;
}

/* Returns the key, or 0 if too many keys exist already. Each location costs a file, and some devices name
 * a separate unit for each activity. */
static uint64_t known_key(const struct omptape_device *device, enum omptape_lane lane, uint64_t key)
{
    bool many = device->lane_counts[lane] >= MAX_NAMED;
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
        struct omptape_device_stream *stream = add_stream(writer, device, lane, 0, 1, writer->begin);
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
    if (location->on_device.rank_known)
        return location->on_device.rank;
    if (!OMPTAPE_RESERVE(devices->ranks, devices->rank_count + 1, &devices->rank_capacity))
        return 0;
    location->on_device.rank_known = true;
    location->on_device.rank = devices->rank_count;
    devices->ranks[devices->rank_count++] = location;
    return location->on_device.rank;
}

static uint32_t add_memory_metric(struct omptape_writer *writer)
{
    struct omptape_archive_strings *strings = &writer->strings;
    const struct omptape_level level = {
        .name = omptape_archive_string(strings, "Device memory in use"),
        .description = omptape_archive_string(strings, "what the program has allocated on the device"),
        .unit = omptape_archive_string(strings, "B"),
        .type = OTF2_TYPE_UINT64,
        .source = OTF2_METRIC_TYPE_OTHER,
        .mode = OTF2_METRIC_ABSOLUTE_LAST,
        .recorder = OTF2_RECORDER_KIND_ABSTRACT};
    return omptape_archive_add_level(&writer->archive, &level);
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
        device->memory_location->on_device.metric = true;
        device->memory_location->on_device.name = stream_name(writer, device, NULL);
        if (writer->devices->memory_metric == OMPTAPE_METRIC_SCHED)
            writer->devices->memory_metric = add_memory_metric(writer);
        omptape_archive_add_level_place(&writer->archive, writer->devices->memory_metric,
                                        device->memory_location->ref);
    }
    struct omptape_location *location = device->memory_location;
    if (writer->devices->memory_metric == OMPTAPE_METRIC_SCHED)
        return;
    location->last = omptape_location_time(location, time);
    omptape_archive_metric(&writer->archive, location->events, location->last, writer->devices->memory_metric,
                           OTF2_TYPE_UINT64, 1, &device->memory);
}
