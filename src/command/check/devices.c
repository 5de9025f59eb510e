/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies device events. Each event refers to a host operation that exists, is on the stated thread and
 * began earlier. Transfers and metrics are on the correct locations. Called by the other files.
 *
 * Rules that omptape guarantees beyond OTF2 apply only to its own archives (docs/mapping.md).
 */
#include "src/command/check/state.h"

#include "src/archive/read/regions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char TOPIC[] = "device";
static const uint64_t NONE = UINT64_MAX;

/* Maximum error of a device's timestamps, in ticks. */
struct check_bound {
    bool known;
    uint64_t ticks;
};

/* A data operation or kernel submission on the host. */
struct check_operation {
    uint64_t begin;
    uint64_t location;
};

static const struct omptape_definition *device_of(const struct check *check,
                                                  const struct check_location *location)
{
    return omptape_location_device(check->reader, location->definition);
}

/* Returns the maximum error of a device's timestamps in ticks, rounded up (a property); 0 if unknown. */
static uint64_t measured_bound(const struct check *check, const struct omptape_definition *group)
{
    char key[96];
    int number = 0;
    if (!omptape_reader_device_number(check->reader, group->id, &number))
        return 0;
    snprintf(key, sizeof(key), "DEVICE::%d::CLOCK::BOUND", number);
    int64_t process = omptape_reader_process_number(check->reader, group->id);
    const char *text = omptape_reader_property_of(check->reader, process, key);
    double ns = text == NULL ? 0 : strtod(text, NULL) + 1;
    double ticks = ceil(ns * (double)check->reader->clock_resolution / 1e9);
    return text == NULL || !(ticks > 0) ? 0 : ticks < 1e18 ? (uint64_t)ticks : UINT64_C(1000000000000000000);
}

static uint64_t bound_of(struct check *check, const struct omptape_definition *group)
{
    struct check_bound *bound =
        omptape_pairs_obtain(&check->devices.bounds, &check->arena, 0, group->id, sizeof(*bound));
    if (bound == NULL)
        return 0;
    if (!bound->known)
        *bound = (struct check_bound){.known = true, .ticks = measured_bound(check, group)};
    return bound->ticks;
}

static void compare_with_host(struct check *check, const struct check_pending_event *pending_event,
                              const struct check_operation *operation)
{
    const struct omptape_definition *group = device_of(check, pending_event->at.location);
    uint64_t bound = bound_of(check, group);
    if (pending_event->host != NONE && pending_event->host != operation->location) {
        check_report_at(check, TOPIC, &pending_event->at,
                        "operation %" PRIu64 ": expected its host thread, %s, found location %" PRIu64,
                        pending_event->operation,
                        check_label(check, OMPTAPE_DEF_LOCATION, operation->location).text,
                        pending_event->host);
    }
    if (pending_event->at.time < operation->begin && operation->begin - pending_event->at.time > bound) {
        check_report_at(check, TOPIC, &pending_event->at,
                        "operation %" PRIu64 ": expected to begin after the host's at %" PRIu64
                        " (less %" PRIu64 " of the clock's error), found %" PRIu64,
                        pending_event->operation, operation->begin, bound, pending_event->at.time);
    }
}

static void add_operation(struct check *check, const struct check_location *location, uint64_t id,
                          uint64_t time)
{
    uint64_t process = location->definition->refs[1].id;
    if (omptape_pairs_get(&check->devices.hosts, process, id) != NULL)
        return; /* continuation of an untied task */
    struct check_operation *operation =
        omptape_pairs_obtain(&check->devices.hosts, &check->arena, process, id, sizeof(*operation));
    if (operation != NULL)
        *operation = (struct check_operation){.begin = time, .location = location->definition->id};
}

static struct check_operation *operation_of(const struct check *check,
                                            const struct check_pending_event *pending_event)
{
    uint64_t process = device_of(check, pending_event->at.location)->refs[2].id;
    return omptape_pairs_get(&check->devices.hosts, process, pending_event->operation);
}

static void wait_for_host(struct check *check, const struct check_pending_event *pending_event)
{
    struct check_devices *devices = &check->devices;
    (void)OMPTAPE_APPEND(devices->pending, devices->pending_count, devices->pending_capacity, *pending_event);
}

void check_devices_enter(struct check *check, struct check_location *location,
                         const struct omptape_event *event)
{
    uint64_t id;
    uint64_t host;
    if (!check->is_own_archive || !omptape_event_number(check->reader, event, READER_OPERATION_ID, &id))
        return;
    if (device_of(check, location) == NULL) {
        add_operation(check, location, id, event->time);
        return;
    }
    if (!omptape_event_number(check->reader, event, READER_HOST_THREAD, &host))
        host = NONE;
    struct check_pending_event pending_event = {.at = check->at, .operation = id, .host = host};
    const struct check_operation *operation = operation_of(check, &pending_event);
    if (operation == NULL)
        wait_for_host(check, &pending_event);
    else if (!check->gaps)
        compare_with_host(check, &pending_event, operation);
}

/* Checks that no two transfers of a window have the same matching id. */
static void check_match(struct check *check, const struct check_location *location,
                        const struct omptape_event *event)
{
    struct omptape_pairs *matches = &check->devices.matches;
    const struct omptape_definition *other = omptape_pairs_get(matches, event->refs[0].id, event->value[1]);
    if (other != NULL) {
        check_report(check, TOPIC, "expected a matching id of its own, found %" PRIu64 " of a transfer on %s",
                     event->value[1], check_label(check, OMPTAPE_DEF_LOCATION, other->id).text);
    } else {
        (void)omptape_pairs_put(matches, event->refs[0].id, event->value[1],
                                (void *)(uintptr_t)location->definition);
    }
}

void check_devices_transfer(struct check *check, const struct check_location *location,
                            const struct omptape_event *event)
{
    if (!check->is_own_archive || device_of(check, location) == NULL)
        return;
    if (location->open_regions == 0)
        check_report(check, TOPIC, "expected an open region on the device, found none");
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION)
        check_match(check, location, event);
}

/* Checks that a metric instance occurs on its recorder's location. */
static void check_recorder(struct check *check, const struct check_location *location,
                           const struct omptape_event *event)
{
    const struct omptape_definition *metric =
        omptape_reader_find(check->reader, OMPTAPE_DEF_METRIC, event->refs[0].id);
    if (metric != NULL && metric->value[0] == 1 && metric->refs[1].id != location->definition->id) {
        check_report(check, "metric",
                     "metric %" PRIu64 ": expected it on its recorder, location %" PRIu64
                     ", found it on location %" PRIu64,
                     metric->id, metric->refs[1].id, location->definition->id);
    }
}

/* Detects negative values: bytes freed more often than allocated appear as a huge unsigned number. */
void check_devices_metric(struct check *check, const struct check_location *location,
                          const struct omptape_event *event)
{
    check_recorder(check, location, event);
    if (device_of(check, location) == NULL)
        return;
    for (uint32_t i = 0; i < event->count; i++) {
        if (event->types[i] == OTF2_TYPE_UINT64 && event->values[i].unsigned_int > INT64_MAX) {
            check_report(check, TOPIC,
                         "expected a value that a device can have, found %" PRIu64 " (%" PRId64 ")",
                         event->values[i].unsigned_int, event->values[i].signed_int);
        }
    }
}

/* Compares the events that waited for their host operation. Skipped if events are missing or the runtime
 * reported no host operation at all. */
void check_devices_end(struct check *check)
{
    const struct check_devices *devices = &check->devices;
    if (check->gaps || devices->hosts.count == 0)
        return;
    for (size_t i = 0; i < devices->pending_count && !check_stopped(check); i++) {
        const struct check_pending_event *pending_event = &devices->pending[i];
        const struct check_operation *operation = operation_of(check, pending_event);
        if (operation != NULL) {
            compare_with_host(check, pending_event, operation);
        } else {
            check_report_at(check, TOPIC, &pending_event->at,
                            "expected operation %" PRIu64 " on a thread of the host, found none",
                            pending_event->operation);
        }
    }
}

void check_devices_free(struct check *check)
{
    omptape_pairs_free(&check->devices.hosts);
    omptape_pairs_free(&check->devices.bounds);
    omptape_pairs_free(&check->devices.matches);
    free(check->devices.pending);
}
