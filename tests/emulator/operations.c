/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows the host's target constructs and operations, and decides when their work is on the device: within
 * the host's operation, or (async) after it, in queues, which the end of the construct waits for. On the
 * thread of the host operation.
 */
#include "tests/emulator/operations.h"

#include "tests/emulator/making.h"
#include "tests/emulator/modes.h"

enum { DEPTH = 16 };

/* What this thread is in the middle of. */
struct open_target {
    const ompt_data_t *data;
    struct em_device *device;
    uint64_t begin;
    uint64_t busy_until; /* the last of its operations on the device */
};

static _Thread_local struct open_target targets[DEPTH];
static _Thread_local int depth;
static _Thread_local uint64_t operation_begin;
static _Thread_local uint64_t last_submit;
static _Atomic uint64_t flooded;

static struct open_target *innermost(void)
{
    return depth > 0 && depth <= DEPTH ? &targets[depth - 1] : NULL;
}

static uint64_t value_of(const ompt_data_t *data)
{
    return data != NULL ? data->value : 0;
}

void em_target_begin(ompt_target_t kind, int device, const ompt_data_t *target, const void *site)
{
    struct open_target open = {.data = target, .device = em_device(device), .begin = em_host_now()};
    struct em_identity who = {.device = open.device, .target = value_of(target)};

    if (depth < DEPTH)
        targets[depth] = open;
    depth++;
    last_submit = 0;
    if (who.device != NULL)
        em_make_target(&who, open.begin, kind, ompt_scope_begin, site);
}

void em_target_end(ompt_target_t kind, const ompt_data_t *target, const void *site)
{
    const struct open_target *open = innermost();
    struct em_identity who = {.device = open != NULL ? open->device : NULL, .target = value_of(target)};
    uint64_t now;

    if (open != NULL && !em_mode(EM_OVERHANG))
        em_wait_until(open->busy_until);
    now = em_host_now();
    if (who.device != NULL) {
        if (em_mode(EM_EVERY_KIND))
            em_make_every_kind(&who, (struct em_interval){open->begin, now});
        em_make_target(&who, now, kind, ompt_scope_end, site);
    }
    depth -= depth > 0;
}

/* A little after the host began and before it ended. */
static struct em_interval within(uint64_t begin, uint64_t end)
{
    uint64_t eighth = (end - begin) / 8;

    return (struct em_interval){begin + em_random(eighth + 1), end - em_random(eighth + 1)};
}

/* On the stream of the device that is free first. */
static struct em_interval queued(struct em_device *device, uint64_t asked)
{
    unsigned streams = (unsigned)em_number(EM_STREAMS);
    uint64_t *stream = &device->stream_end[0];
    struct em_interval when;
    double length = em_number(EM_DURATION) * (0.5 + (double)em_random(1000) / 1000);

    pthread_mutex_lock(&device->lock);
    for (unsigned i = 1; i < streams && i < EM_STREAMS_MAX; i++)
        if (device->stream_end[i] < *stream)
            stream = &device->stream_end[i];
    when.begin = asked + em_host_ticks(em_number(EM_DELAY));
    if (when.begin < *stream)
        when.begin = *stream + em_host_ticks(200);
    when.end = when.begin + em_host_ticks(length);
    *stream = when.end;
    pthread_mutex_unlock(&device->lock);
    return when;
}

/* Outside of a construct an operation's own end waits for it. */
static struct em_interval place(struct em_device *device, bool work)
{
    struct open_target *open = innermost();
    struct em_interval when;

    if (!work || device == NULL || !(em_mode(EM_ASYNC) || em_mode(EM_OVERHANG)))
        return within(operation_begin, em_host_now());
    when = queued(device, operation_begin);
    if (open != NULL && open->busy_until < when.end)
        open->busy_until = when.end;
    if (open == NULL && !em_mode(EM_OVERHANG))
        em_wait_until(when.end);
    return when;
}

/* The device that a data operation concerns: of two the one that gets the data. */
static struct em_device *device_of(const struct em_data_op *op)
{
    struct em_device *to = em_device(op->to_device);

    return to != NULL && op->kind != ompt_target_data_delete ? to : em_device(op->from_device);
}

static bool is_copy(ompt_target_data_op_t kind)
{
    return kind == ompt_target_data_transfer_to_device || kind == ompt_target_data_transfer_from_device ||
           kind == ompt_target_data_transfer_to_device_async ||
           kind == ompt_target_data_transfer_from_device_async;
}

void em_data_op_begin(void)
{
    operation_begin = em_host_now();
}

/* Where a runtime cannot copy between devices, it copies to the host and on: d2d shows the second of these as
 * what the program asked for. */
static void stage(struct em_data_op *op)
{
    static _Thread_local struct em_data_op first;
    bool has_host = em_device(op->from_device) == NULL || em_device(op->to_device) == NULL;

    if (!(em_mode(EM_D2D) || em_mode(EM_D2D_TIMES)) || depth > 0 || !is_copy(op->kind) || !has_host)
        return;
    if (em_device(op->to_device) == NULL) {
        first = *op;
        return;
    }
    if (first.to != NULL && op->from == first.to && op->bytes == first.bytes) {
        op->from = first.from;
        op->from_device = first.from_device;
        first.to = NULL;
    }
}

void em_data_op_end(const ompt_data_t *target, const ompt_id_t *operation, struct em_data_op *op)
{
    struct em_identity who = {.device = device_of(op),
                              .operation = operation != NULL ? *operation : 0,
                              .target = value_of(target),
                              .last_submit = last_submit};
    struct em_interval when = place(who.device, is_copy(op->kind));

    stage(op);
    em_make_data_op(&who, when, op);
    if (is_copy(op->kind)) {
        em_make_native(&who, when, ompt_native_data_motion_explicit | ompt_native_data_motion_implicit,
                       EM_NATIVE_COPY);
    }
}

void em_submit_begin(void)
{
    operation_begin = em_host_now();
}

/* Cuts the kernel's time into slices and makes each a kernel. */
static void flood(const struct em_identity *who, struct em_interval when, unsigned teams)
{
    uint64_t number = (uint64_t)em_number(EM_BURST);
    uint64_t all = (uint64_t)em_number(EM_FLOOD);
    uint64_t before = atomic_fetch_add(&flooded, number);
    uint64_t slice = (when.end - when.begin) / number;

    for (uint64_t i = 0; i < number && before + i < all; i++) {
        struct em_interval part = {when.begin + i * slice, when.begin + (i + 1) * slice - slice / 4};
        em_make_kernel(who, part, teams, EM_FLOODED);
    }
}

void em_submit_end(const ompt_data_t *target, const ompt_id_t *operation, unsigned teams)
{
    const struct open_target *open = innermost();
    struct em_identity who = {.device = open != NULL ? open->device : NULL,
                              .operation = operation != NULL ? *operation : 0,
                              .target = value_of(target)};
    struct em_interval when;

    if (em_number(EM_FLOOD) > 0) /* long enough for slices of 16 ns */
        em_wait_until(operation_begin + em_host_ticks(20 * em_number(EM_BURST)));
    when = place(who.device, true);
    last_submit = who.operation;
    em_make_kernel(&who, when, teams, EM_KERNEL);
    if (em_number(EM_FLOOD) > 0)
        flood(&who, when, teams);
    em_make_native(&who, when, ompt_native_kernel_execution, EM_NATIVE_KERNEL);
    em_make_native(&who, (struct em_interval){operation_begin, when.begin}, ompt_native_driver,
                   EM_NATIVE_DRIVER);
}
