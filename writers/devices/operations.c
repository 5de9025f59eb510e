/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of host operations. Called by the writer's translating thread.
 */
#include "writers/devices/operations.h"

#include "writers/devices/streams.h"
#include "writers/devices/track.h"
#include "writers/regions/references.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many are remembered behind one that has its record (it may come again, or a part of it), and so many
 * while their records do not come. */
enum { KEEP_MATCHED = 1 << 15, KEEP_WAITING = 1 << 20 };
/* Operations of a target region that are looked at for a record without a name. */
enum { MOST_LOOKS = 1024 };

struct target {
    uint64_t task;
    uint64_t site;
    int32_t device;
};

void omptape_operations_target_begin(struct omptape_writer *writer, uint64_t id, int32_t device,
                                     uint64_t task, uint64_t site)
{
    struct target *target = calloc(1, sizeof(*target));
    if (target == NULL)
        return;
    *target = (struct target){.task = task, .site = site, .device = device};
    if (omptape_hash_add(&writer->devices->targets, id, target) != 0)
        free(target);
}

void omptape_operations_target_end(struct omptape_writer *writer, uint64_t id)
{
    free(omptape_hash_take(&writer->devices->targets, id));
}

void omptape_operations_use(struct omptape_operation *operation)
{
    if (operation != NULL)
        operation->users++;
}

static void free_unused(struct omptape_operation *operation)
{
    if (operation->users == 0 && !operation->in_table)
        free(operation);
}

void omptape_operations_release(struct omptape_operation *operation)
{
    if (operation == NULL)
        return;
    operation->users--;
    free_unused(operation);
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

/* It is the oldest of its target region, so the first in its chain. */
static void unchain(struct omptape_devices *devices, const struct omptape_operation *operation)
{
    if (operation->target == 0 || omptape_hash_get(&devices->by_target, operation->target) != operation)
        return;
    if (operation->next_of_target != NULL)
        omptape_hash_put(&devices->by_target, operation->target, operation->next_of_target);
    else
        omptape_hash_take(&devices->by_target, operation->target);
}

static void chain(struct omptape_devices *devices, struct omptape_operation *operation)
{
    struct omptape_operation *first =
        operation->target != 0 ? omptape_hash_get(&devices->by_target, operation->target) : operation;
    operation->last_of_target = operation;
    if (first == NULL) {
        omptape_hash_put(&devices->by_target, operation->target, operation);
    } else if (first != operation) {
        first->last_of_target->next_of_target = operation;
        first->last_of_target = operation;
    }
}

static void drop_oldest(struct omptape_writer *writer)
{
    struct omptape_devices *devices = writer->devices;
    struct omptape_operation *oldest = devices->ring[devices->ring_begin];
    devices->ring_begin = (devices->ring_begin + 1) % devices->ring_capacity;
    devices->ring_count--;
    omptape_hash_take(&devices->operations, oldest->id);
    if (oldest->next_of_target != NULL)
        oldest->next_of_target->last_of_target = oldest->last_of_target;
    unchain(devices, oldest);
    oldest->in_table = false;
    oldest->users++;
    if (!oldest->matched)
        show_as_observed(writer, oldest);
    omptape_operations_release(oldest);
}

static void trim(struct omptape_writer *writer)
{
    struct omptape_devices *devices = writer->devices;
    while (devices->ring_count > KEEP_MATCHED) {
        const struct omptape_operation *oldest = devices->ring[devices->ring_begin];
        if (!oldest->matched && devices->ring_count <= KEEP_WAITING)
            return;
        drop_oldest(writer);
    }
}

static bool make_room(struct omptape_devices *devices)
{
    if (devices->ring_count < devices->ring_capacity)
        return true;
    size_t capacity = devices->ring_capacity != 0 ? devices->ring_capacity * 2 : 1024;
    struct omptape_operation **ring = malloc(capacity * sizeof(*ring));
    if (ring == NULL)
        return false;
    for (size_t i = 0; i < devices->ring_count; i++) {
        size_t place = devices->ring_begin + i;
        ring[i] = devices->ring[place < devices->ring_capacity ? place : place - devices->ring_capacity];
    }
    free(devices->ring);
    devices->ring = ring;
    devices->ring_begin = 0;
    devices->ring_capacity = capacity;
    return true;
}

/* Where no construct says it, the side that the runtime announced as a device: the destination where both
 * are. */
static void find_device(struct omptape_writer *writer, struct omptape_operation *operation,
                        const struct target *target)
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

static bool put_into_table(struct omptape_devices *devices, struct omptape_operation *operation)
{
    if (!make_room(devices) || omptape_hash_add(&devices->operations, operation->id, operation) != 0)
        return false;
    devices->ring[(devices->ring_begin + devices->ring_count++) % devices->ring_capacity] = operation;
    operation->in_table = true;
    chain(devices, operation);
    return true;
}

void omptape_operations_begin(struct omptape_writer *writer, const struct omptape_operation *model)
{
    const struct target *target = omptape_hash_get(&writer->devices->targets, model->target);
    struct omptape_operation *operation = malloc(sizeof(*operation));
    if (operation == NULL)
        return;
    *operation = *model;
    if (target != NULL)
        operation->task = target->task;
    if (target != NULL && operation->site == 0)
        operation->site = target->site;
    find_device(writer, operation, target);
    if (!put_into_table(writer->devices, operation))
        free(operation);
    else
        trim(writer);
}

/* Nothing but the host tells of it: it need not wait for a record. */
static void finish_observed(struct omptape_writer *writer, struct omptape_operation *operation)
{
    const struct omptape_device *device = omptape_device_find(writer, operation->device);
    if (operation->matched || device == NULL || device->producer != OMPTAPE_PRODUCER_HOST)
        return;
    operation->matched = true;
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

void omptape_operations_end(struct omptape_writer *writer, uint64_t id, uint64_t time,
                            uint64_t destination_address)
{
    struct omptape_operation *operation = omptape_operations_find(writer, id);
    if (operation == NULL)
        return;
    /* Another thread may tell of it, whose time is behind. */
    operation->end = time > operation->begin ? time : operation->begin;
    if (destination_address != 0)
        operation->destination_address = destination_address;
    note_memory(writer, operation, time);
    finish_observed(writer, operation);
}

struct omptape_operation *omptape_operations_find(struct omptape_writer *writer, uint64_t id)
{
    return id != 0 ? omptape_hash_get(&writer->devices->operations, id) : NULL;
}

static bool came_already(const struct omptape_operation *operation, const struct omptape_likeness *like)
{
    return operation->matched && like->begin != 0 && operation->matched_begin == like->begin &&
           operation->matched_end == like->end;
}

struct omptape_operation *omptape_operations_alike(struct omptape_writer *writer,
                                                   const struct omptape_likeness *like)
{
    struct omptape_operation *operation =
        like->target != 0 ? omptape_hash_get(&writer->devices->by_target, like->target) : NULL;
    struct omptape_operation *first = NULL;
    for (unsigned looks = 0; operation != NULL && looks < MOST_LOOKS; looks++) {
        if (operation->type == like->type && operation->bytes == like->bytes) {
            if (came_already(operation, like))
                return operation;
            if (first == NULL && !operation->matched)
                first = operation;
        }
        operation = operation->next_of_target;
    }
    return first;
}

void omptape_operations_settle(struct omptape_writer *writer)
{
    while (writer->devices->ring_count > 0)
        drop_oldest(writer);
}

static void free_targets(struct omptape_hash *targets)
{
    for (size_t i = 0; i < targets->capacity; i++)
        if (targets->entries[i].key != 0)
            free(targets->entries[i].value);
    omptape_hash_free(targets);
}

void omptape_operations_free(struct omptape_writer *writer)
{
    struct omptape_devices *devices = writer->devices;
    for (size_t i = 0; i < devices->ring_count; i++)
        free(devices->ring[(devices->ring_begin + i) % devices->ring_capacity]);
    free(devices->ring);
    free_targets(&devices->targets);
    omptape_hash_free(&devices->operations);
    omptape_hash_free(&devices->by_target);
    omptape_correlations_free(&devices->correlations);
}
