/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When something happened on a device, in the host's time, and what is done when that cannot be true. Called
 * when anchors come and when intervals are written.
 */
#include "writers/devices/dating.h"

#include "writers/devices/clock.h"

#include <string.h>

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

void omptape_dating_take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                                const struct omptape_record *record)
{
    size_t words = (size_t)record->words - OMPTAPE_RECORD_HEADER_WORDS;
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

/* What the host saw, where the device's own times are of no use. */
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

/* Nothing runs before the host has asked for it, nor ends after its record was delivered. */
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

/* True if there is something left to repair with: the two overlap. */
static bool overlaps_limits(const struct omptape_interval *interval, struct host_limits limits)
{
    return interval->begin <= limits.end && interval->end >= limits.begin;
}

static bool mend_interval(struct omptape_device *device, struct omptape_interval *interval, uint64_t slack)
{
    struct host_limits limits = host_limits_of(device, interval, slack);
    bool backwards = interval->end < interval->begin;
    if (backwards) {
        uint64_t begin = interval->end;
        interval->end = interval->begin;
        interval->begin = begin;
        /* The beginning is what runtimes get right: the end serves only if it could be the beginning. */
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

bool omptape_dating_convert(struct omptape_device *device, struct omptape_interval *interval)
{
    uint64_t begin_bound;
    uint64_t end_bound;
    uint64_t known = interval->delivered != 0 ? interval->delivered : UINT64_MAX;
    if (interval->lane == OMPTAPE_LANE_OBSERVED)
        return true;
    if (interval->untimed || interval->begin == 0 || device->clock == NULL ||
        omptape_device_clock_convert_known(device->clock, interval->begin, known, &interval->begin,
                                           &begin_bound) != 0)
        return use_operation(device, interval);
    /* Time 0 is none. */
    if (interval->end == 0) {
        device->counts.repaired++;
        interval->end = interval->operation != NULL && interval->operation->end > interval->begin
                            ? interval->operation->end
                            : interval->begin;
        end_bound = begin_bound;
    } else if (omptape_device_clock_convert_known(device->clock, interval->end, known, &interval->end,
                                                  &end_bound) != 0) {
        return use_operation(device, interval);
    }
    return mend_interval(device, interval, begin_bound > end_bound ? begin_bound : end_bound);
}
