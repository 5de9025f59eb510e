/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues intervals, sorts them, converts their times and writes them.
 */
#include "writers/devices/state.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "writers/devices/clock.h"
#include "writers/regions/references.h"

#include <stdlib.h>
#include <string.h>

/* Most waiting intervals of all devices. If there are more, the older half of the fullest device's
 * intervals is written. Later intervals get a new location if necessary. An interval with its operation
 * takes about 250 bytes. */
enum { MAX_WAITING = 1 << 19, LOOK_EVERY = 1 << 10 };
/* Intervals observed by the host come nearly in order. One that began long before written ones overlaps
 * them, and would need another location anyway. */
enum { MAX_OBSERVED = 1 << 12 };

/* Compares by begin; enclosing intervals come first, and repeated ones are adjacent. */
static int compare_intervals(const void *a, const void *b)
{
    const struct omptape_interval *left = a;
    const struct omptape_interval *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    if (left->end != right->end)
        return left->end > right->end ? -1 : 1;
    if (left->operation != right->operation)
        return (uintptr_t)left->operation < (uintptr_t)right->operation ? -1 : 1;
    if (left->region != right->region)
        return left->region < right->region ? -1 : 1;
    if (left->recorded_begin != right->recorded_begin)
        return left->recorded_begin < right->recorded_begin ? -1 : 1;
    return left->recorded_end < right->recorded_end ? -1 : left->recorded_end > right->recorded_end;
}

static int compare_begins(const void *a, const void *b)
{
    const struct omptape_interval_order *left = a;
    const struct omptape_interval_order *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return compare_intervals(left->interval, right->interval);
}

/* Returns true if both are the same interval. Those without own times cannot be recognised. */
static bool is_same(const struct omptape_interval *a, const struct omptape_interval *b)
{
    return compare_intervals(a, b) == 0 && a->key == b->key && a->target == b->target &&
           a->bytes == b->bytes && a->lane == b->lane && a->lane != OMPTAPE_LANE_OBSERVED && !a->point &&
           !a->untimed && a->operation != NULL;
}

static void set_links(struct omptape_writer *writer, const struct omptape_interval *interval,
                      const struct omptape_device *device)
{
    struct omptape_archive *archive = &writer->archive;
    const struct omptape_operation *operation = interval->operation;
    uint64_t target = operation != NULL && operation->target != 0 ? operation->target : interval->target;
    omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_DEVICE, (uint32_t)device->number);
    if (target != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_TARGET, target);
    if (interval->correlation != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_CORRELATION, interval->correlation);
    if (interval->bytes != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_BYTES, interval->bytes);
    if (interval->threads != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_TEAM_THREADS, interval->threads);
    if (operation == NULL)
        return;
    omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_OPERATION, operation->id);
    if (operation->task != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_TASK, operation->task);
    if (operation->host != NULL)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_HOST_THREAD, operation->host->ref);
}

static enum omptape_copy copy_of(const struct omptape_interval *interval)
{
    if (interval->copy != OMPTAPE_COPY_OTHER)
        return (enum omptape_copy)interval->copy;
    if (interval->peer != INT32_MIN)
        return OMPTAPE_COPY_PEER;
    switch (interval->operation != NULL ? interval->operation->kind : OMPTAPE_REGION_KERNEL) {
    case OMPTAPE_REGION_TARGET_TO_DEVICE:
        return OMPTAPE_COPY_TO_DEVICE;
    case OMPTAPE_REGION_TARGET_FROM_DEVICE:
        return OMPTAPE_COPY_FROM_DEVICE;
    default:
        return OMPTAPE_COPY_OTHER;
    }
}

/* Returns the other side of a transfer: the host's thread, or the other device. NULL if unknown. */
static struct omptape_location *other_side(struct omptape_writer *writer,
                                           const struct omptape_interval *interval, enum omptape_copy copy)
{
    if (copy == OMPTAPE_COPY_PEER) {
        struct omptape_device *peer = omptape_device_find(writer, interval->peer);
        return peer != NULL ? omptape_streams_any(writer, peer) : NULL;
    }
    if (copy != OMPTAPE_COPY_TO_DEVICE && copy != OMPTAPE_COPY_FROM_DEVICE)
        return NULL;
    if (interval->operation != NULL)
        return interval->operation->host;
    return writer->location_count > 0 ? writer->locations[0] : NULL;
}

static void write_inside(struct omptape_writer *writer, struct omptape_device *device,
                         struct omptape_device_stream *stream, const struct omptape_interval *interval)
{
    struct omptape_archive *archive = &writer->archive;
    struct omptape_location *location = stream->location;
    if (interval->operation != NULL && interval->operation->type == 0)
        omptape_archive_parameter(archive, location->events, interval->begin,
                                  OMPTAPE_PARAMETER_TEAMS_REQUESTED, interval->operation->requested);
    if (interval->granted != 0)
        omptape_archive_parameter(archive, location->events, interval->begin, OMPTAPE_PARAMETER_TEAMS_GRANTED,
                                  interval->granted);
    enum omptape_copy copy = copy_of(interval);
    struct omptape_location *other = other_side(writer, interval, copy);
    if (other == NULL)
        return;
    uint64_t match = ++writer->devices->next_match;
    omptape_streams_rank(writer, location);
    uint32_t rank = omptape_streams_rank(writer, other);
    OMPTAPE_ARCHIVE_PUT(archive, location->events, interval->begin,
                        copy == OMPTAPE_COPY_FROM_DEVICE ? OMPTAPE_RECORD_RMA_PUT : OMPTAPE_RECORD_RMA_GET,
                        OMPTAPE_RMA_WINDOW, rank, interval->bytes, match);
    OMPTAPE_ARCHIVE_PUT(archive, location->events, interval->end, OMPTAPE_RECORD_RMA_OP_COMPLETE_BLOCKING,
                        OMPTAPE_RMA_WINDOW, match);
    device->counts.transfers++;
    device->counts.bytes += interval->bytes;
}

static bool is_kernel(const struct omptape_writer *writer, const struct omptape_interval *interval)
{
    return interval->region < writer->references->count &&
           writer->references->list[interval->region].kind == OMPTAPE_REGION_KERNEL;
}

/* Moves the begin to the time after the host's submission. */
static void move_after_submission(const struct omptape_location *location, struct omptape_interval *interval)
{
    const struct omptape_operation *operation = interval->operation;
    if (operation == NULL || operation->host == NULL)
        return;
    interval->begin = omptape_location_time_after(
        location, interval->begin, (struct omptape_moment){operation->begin, operation->host->ref});
    if (interval->end < interval->begin)
        interval->end = interval->begin;
}

static void write_interval(struct omptape_writer *writer, struct omptape_device *device,
                           struct omptape_interval *interval)
{
    struct omptape_device_stream *stream = omptape_streams_for(writer, device, interval);
    if (stream == NULL)
        return;
    struct omptape_location *location = stream->location;
    move_after_submission(location, interval);
    set_links(writer, interval, device);
    omptape_archive_enter(&writer->archive, location->events, interval->begin, interval->region);
    write_inside(writer, device, stream, interval);
    device->counts.kernels += is_kernel(writer, interval);
    if (interval->end > writer->last_time)
        writer->last_time = interval->end;
    if (interval->lane == OMPTAPE_LANE_OBSERVED)
        device->counts.observed++;
    else
        device->counts.shown++;
    /* A device's threads work without a host operation. */
    device->counts.unlinked += interval->operation == NULL && interval->lane != OMPTAPE_LANE_THREAD;
    omptape_streams_entered(writer, stream, interval);
    if (interval->memory_change != 0 && interval->operation == NULL)
        omptape_streams_memory(writer, device, interval->end, interval->memory_change, false);
}

/* Looks up the host operation by CUDA's correlation id, which another record explains. */
static void find_operation(struct omptape_writer *writer, struct omptape_interval *interval)
{
    if (interval->operation != NULL || interval->correlation == 0)
        return;
    interval->operation =
        omptape_operations_find_correlated(&writer->devices->operations, interval->correlation);
    if (interval->operation == NULL)
        return;
    omptape_operations_acquire(interval->operation);
    interval->operation->matched = true;
}

void omptape_intervals_link(struct omptape_writer *writer, struct omptape_device *device)
{
    for (uint32_t i = 0; i < device->records.count; i++)
        find_operation(writer, &device->records.list[i]);
}

/* Uses the host operation's times, as the device's are unusable. Returns false if it is unknown. */
static bool use_operation(struct omptape_device *device, struct omptape_interval *interval)
{
    const struct omptape_operation *operation = interval->operation;
    if (operation == NULL) {
        device->counts.undated++;
        return false;
    }
    interval->begin = operation->begin;
    interval->end = operation->end != 0 ? operation->end : operation->begin;
    interval->lane = OMPTAPE_LANE_OBSERVED;
    interval->key = 0;
    device->counts.repaired++;
    return true;
}

/* Limits of an interval: it begins after the host's request, and ends before the delivery of its record. */
struct host_limits {
    uint64_t begin;
    uint64_t end;
};

static struct host_limits host_limits_of(const struct omptape_device *device,
                                         const struct omptape_interval *interval, uint64_t slack)
{
    const struct omptape_operation *operation = interval->operation;
    uint64_t begin = operation != NULL ? operation->begin : device->opened;
    uint64_t end = interval->delivered != 0 ? interval->delivered : UINT64_MAX;
    return (struct host_limits){.begin = begin > slack ? begin - slack : 0,
                                .end = end < UINT64_MAX - slack ? end + slack : UINT64_MAX};
}

/* Returns true if the interval can be repaired: it overlaps the limits. */
static bool overlaps_limits(const struct omptape_interval *interval, struct host_limits limits)
{
    return interval->begin <= limits.end && interval->end >= limits.begin;
}

static bool repair_interval(struct omptape_device *device, struct omptape_interval *interval, uint64_t slack)
{
    struct host_limits limits = host_limits_of(device, interval, slack);
    bool backwards = interval->end < interval->begin;
    if (backwards) {
        uint64_t begin = interval->end;
        interval->end = interval->begin;
        interval->begin = begin;
        /* Runtimes report the begin correctly. The end is used as begin only if it is possible. */
        if (begin < limits.begin)
            interval->begin = interval->end;
    }
    if (!overlaps_limits(interval, limits))
        return use_operation(device, interval);
    bool outside = interval->begin < limits.begin || interval->end > limits.end;
    if (interval->begin < limits.begin)
        interval->begin = limits.begin + slack;
    if (interval->operation != NULL && interval->begin < interval->operation->begin)
        interval->begin = interval->operation->begin;
    if (interval->end > limits.end)
        interval->end = limits.end - slack;
    if (interval->end < interval->begin)
        interval->end = interval->begin;
    device->counts.repaired += backwards || outside;
    return true;
}

/* Converts begin and end to host ticks. Returns false if no times can be determined; this is counted. */
static bool convert_interval(struct omptape_device *device, struct omptape_interval *interval)
{
    uint64_t begin_bound;
    uint64_t end_bound;
    uint64_t known = interval->delivered != 0 ? interval->delivered : UINT64_MAX;
    if (interval->lane == OMPTAPE_LANE_OBSERVED)
        return true;
    if (interval->untimed || interval->begin == 0 || device->clock == NULL ||
        omptape_device_clock_convert(device->clock, interval->begin, known, &interval->begin, &begin_bound) !=
            0)
        return use_operation(device, interval);
    /* Time 0 means that there is no time. */
    if (interval->end == 0) {
        device->counts.repaired++;
        interval->end = interval->operation != NULL && interval->operation->end > interval->begin
                            ? interval->operation->end
                            : interval->begin;
        end_bound = begin_bound;
    } else if (omptape_device_clock_convert(device->clock, interval->end, known, &interval->end,
                                            &end_bound) != 0) {
        return use_operation(device, interval);
    }
    return repair_interval(device, interval, begin_bound > end_bound ? begin_bound : end_bound);
}

/* Converts the interval's times to host times, once. False if it has no times or must be hidden. */
static bool convert_interval_once(struct omptape_writer *writer, struct omptape_device *device,
                                  struct omptape_interval *interval)
{
    if (interval->converted)
        return true;
    find_operation(writer, interval);
    interval->converted = true;
    interval->recorded_begin = interval->begin;
    interval->recorded_end = interval->end;
    if (interval->operation != NULL && interval->operation->hidden)
        return false;
    if (!convert_interval(device, interval))
        return false;
    if (interval->end < interval->begin)
        interval->end = interval->begin;
    return true;
}

static void convert_all(struct omptape_writer *writer, struct omptape_device *device,
                        struct omptape_interval_queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->count; i++) {
        struct omptape_interval interval = queue->list[i];
        if (convert_interval_once(writer, device, &interval))
            queue->list[kept++] = interval;
        else
            omptape_operations_release(interval.operation);
    }
    queue->count = kept;
}

static void write_one(struct omptape_writer *writer, struct omptape_device *device,
                      struct omptape_interval *interval, bool again)
{
    device->counts.duplicates += again;
    if (again || interval->end < writer->window_begin)
        return;
    if (interval->begin < writer->window_begin)
        interval->begin = writer->window_begin;
    write_interval(writer, device, interval);
}

/* Sorts references, because sorting the intervals would move about a hundred bytes each time. */
static void sort_queue(struct omptape_interval_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        queue->order[i] = (struct omptape_interval_order){queue->list[i].begin, &queue->list[i]};
    omptape_sort(queue->order, queue->count, sizeof(queue->order[0]), compare_begins);
}

static void remove_written(struct omptape_interval_queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (!queue->list[i].written)
            queue->list[kept++] = queue->list[i];
    queue->count = kept;
}

/* Writes the first `count` intervals, or drops them while the flight recorder forgets. */
static void write_first(struct omptape_writer *writer, struct omptape_device *device,
                        struct omptape_interval_queue *queue, uint32_t count)
{
    if (queue->count == 0)
        return;
    convert_all(writer, device, queue);
    sort_queue(queue);
    for (uint32_t i = 0; i < count && i < queue->count; i++) {
        struct omptape_interval *interval = queue->order[i].interval;
        bool again = i + 1 < queue->count && is_same(interval, queue->order[i + 1].interval);
        if (!writer->forgetting)
            write_one(writer, device, interval, again);
        omptape_operations_release(interval->operation);
        interval->written = true;
    }
    remove_written(queue);
}

/* Limits the memory of waiting intervals. */
static void shrink_largest_queue(struct omptape_writer *writer)
{
    const struct omptape_devices *devices = writer->devices;
    struct omptape_device *most = NULL;
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < devices->count; i++) {
        struct omptape_device *device = devices->list[i];
        waiting += device->records.count;
        if (most == NULL || device->records.count > most->records.count)
            most = device;
    }
    if (most != NULL && waiting >= MAX_WAITING)
        write_first(writer, most, &most->records, most->records.count / 2);
}

static bool reserve(struct omptape_interval_queue *queue)
{
    return OMPTAPE_RESERVE(queue->list, queue->count + 1, &queue->capacity) &&
           OMPTAPE_RESERVE(queue->order, queue->count + 1, &queue->order_capacity);
}

void omptape_intervals_convert(struct omptape_writer *writer, struct omptape_device *device)
{
    convert_all(writer, device, &device->records);
}

void omptape_intervals_add(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_interval *interval)
{
    struct omptape_interval_queue *queue =
        interval->lane == OMPTAPE_LANE_OBSERVED ? &device->observed : &device->records;
    if (queue == &device->observed && queue->count == MAX_OBSERVED)
        write_first(writer, device, queue, MAX_OBSERVED / 2);
    else if (queue == &device->records && queue->count % LOOK_EVERY == LOOK_EVERY - 1)
        shrink_largest_queue(writer);
    if (!reserve(queue)) {
        omptape_operations_release(interval->operation);
        device->counts.invalid++;
        return;
    }
    queue->list[queue->count++] = *interval;
}

void omptape_intervals_finish(struct omptape_writer *writer, struct omptape_device *device)
{
    write_first(writer, device, &device->records, device->records.count);
    write_first(writer, device, &device->observed, device->observed.count);
}

static void free_queue(struct omptape_interval_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        omptape_operations_release(queue->list[i].operation);
    free(queue->list);
    free(queue->order);
}

void omptape_intervals_free(struct omptape_device *device)
{
    free_queue(&device->records);
    free_queue(&device->observed);
}

/* cuptiGetTimestamp counts nanoseconds. */
static const double CUPTI_RATE = 1e9;

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static size_t readings_of(size_t count)
{
    return count < OMPTAPE_ANCHOR_READINGS ? count : OMPTAPE_ANCHOR_READINGS;
}

static void add_device_readings(struct omptape_device_clock *clock, const uint64_t *p, size_t count)
{
    struct omptape_device_reading readings[OMPTAPE_ANCHOR_READINGS];
    for (size_t i = 0; i < readings_of(count); i++, p += 3)
        readings[i] = (struct omptape_device_reading){.before = p[0], .device = p[1], .after = p[2]};
    omptape_device_clock_add(clock, readings, readings_of(count));
}

static void add_wtime_readings(struct omptape_device_clock *clock, const uint64_t *p, size_t count)
{
    struct omptape_wtime_reading readings[OMPTAPE_ANCHOR_READINGS];
    for (size_t i = 0; i < readings_of(count); i++, p += 3)
        readings[i] = (struct omptape_wtime_reading){.before = p[0], .wtime = as_double(p[1]), .after = p[2]};
    omptape_device_clock_add_wtime(clock, readings, readings_of(count));
}

static void add_translations(struct omptape_device_clock *clock, const uint64_t *p, size_t count)
{
    for (size_t i = 0; i < readings_of(count); i++, p += 2)
        omptape_device_clock_add_translated(clock, p[0], as_double(p[1]));
}

void omptape_device_add_anchor(struct omptape_writer *writer, struct omptape_device *device,
                               const struct omptape_record *record)
{
    size_t words = omptape_record_payload(record);
    if (device->clock == NULL)
        device->clock =
            omptape_device_clock_create((double)omptape_timeline_resolution(&writer->timeline),
                                        device->producer == OMPTAPE_PRODUCER_CUPTI ? CUPTI_RATE : 0);
    if (device->clock == NULL)
        return;
    if (record->a == OMPTAPE_ANCHOR_DEVICE)
        add_device_readings(device->clock, record->p, words / 3);
    else if (record->a == OMPTAPE_ANCHOR_WTIME)
        add_wtime_readings(device->clock, record->p, words / 3);
    else if (record->a == OMPTAPE_ANCHOR_TRANSLATED)
        add_translations(device->clock, record->p, words / 2);
}
