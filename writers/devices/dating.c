/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When something happened on a device, in the host's time, and what is done when that cannot be true. Called
 * by the writer's translating thread.
 */
#include "writers/devices/dating.h"

#include "writers/devices/clock/clock.h"

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
struct limits {
    uint64_t begin;
    uint64_t end;
};

static struct limits limits_of(const struct omptape_device *device, const struct omptape_interval *interval,
                               uint64_t slack)
{
    const struct omptape_operation *operation = interval->operation;
    uint64_t begin = operation != NULL ? operation->begin : device->opened;
    uint64_t end = interval->delivered != 0 ? interval->delivered : UINT64_MAX;
    return (struct limits){.begin = begin > slack ? begin - slack : 0,
                           .end = end < UINT64_MAX - slack ? end + slack : UINT64_MAX};
}

/* True if there is something left to repair with: the two overlap. */
static bool overlaps(const struct omptape_interval *interval, struct limits limits)
{
    return interval->begin <= limits.end && interval->end >= limits.begin;
}

static bool mend(struct omptape_device *device, struct omptape_interval *interval, uint64_t slack)
{
    struct limits limits = limits_of(device, interval, slack);
    bool backwards = interval->end < interval->begin;
    if (backwards) {
        uint64_t begin = interval->end;
        interval->end = interval->begin;
        interval->begin = begin;
        /* The beginning is what runtimes get right: the end serves only if it could be the beginning. */
        if (begin < limits.begin)
            interval->begin = interval->end;
    }
    if (!overlaps(interval, limits))
        return use_operation(device, interval);
    bool outside = interval->begin < limits.begin || interval->end > limits.end;
    if (interval->begin < limits.begin)
        interval->begin = limits.begin + slack;
    if (interval->end > limits.end)
        interval->end = limits.end - slack;
    if (interval->end < interval->begin)
        interval->end = interval->begin;
    device->counts.repaired += backwards || outside;
    return true;
}

bool omptape_dating(struct omptape_device *device, struct omptape_interval *interval)
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
    return mend(device, interval, begin_bound > end_bound ? begin_bound : end_bound);
}
