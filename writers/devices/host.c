/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host says of operations on devices. Called by translate/target.c while it translates the host's
 * events.
 */
#include "writers/devices/host.h"

#include "writers/devices/list.h"
#include "writers/devices/streams.h"
#include "writers/devices/track.h"
#include "writers/regions/references.h"

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
    omptape_operations_use(operation);
    omptape_track_add(writer, device, &interval);
}

/* Those that left the table without a record are shown as the host saw them. */
static void trim_table(struct omptape_writer *writer, bool all)
{
    struct omptape_operation *oldest;
    while ((oldest = omptape_operations_take_oldest(&writer->devices->operations, all)) != NULL) {
        if (!oldest->matched)
            show_as_observed(writer, oldest);
        omptape_operations_release(oldest);
    }
}

/* Where no construct says it, the side that the runtime announced as a device: the destination where both
 * are. */
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

/* Nothing but the host tells of it: it need not wait for a record. */
static void finish_observed(struct omptape_writer *writer, struct omptape_operation *operation)
{
    const struct omptape_device *device = omptape_device_find(writer, operation->device);
    if (operation->matched || device == NULL || device->producer != OMPTAPE_PRODUCER_HOST)
        return;
    operation->matched = true;
    operation->settled = true;
    show_as_observed(writer, operation);
}

/* Device memory in use follows what the host asked for: the device's records do not all tell of it. */
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
        change = (int64_t)(0 - (uint64_t)(uintptr_t)omptape_hash_take(&device->allocations,
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
    /* Another thread may tell of it, whose time is behind. */
    operation->end = time > operation->begin ? time : operation->begin;
    if (destination_address != 0)
        operation->destination_address = destination_address;
    note_memory(writer, operation, time);
    finish_observed(writer, operation);
}

void omptape_host_finish(struct omptape_writer *writer)
{
    trim_table(writer, true);
}
