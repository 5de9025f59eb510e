/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of kernels, data operations and target constructs, and the damage that real runtimes are known to
 * do to them. Called on the thread of the host operation.
 */
#include "tests/emulator/making.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/emulator/engine.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/tool.h"

enum { ONE_OF = 4 }; /* sometimes: so many are left out */

enum em_fate em_fate_of(struct em_device *device, unsigned emi, unsigned plain, unsigned *etype)
{
    int phase = device != NULL ? atomic_load(&device->phase) : EM_UNKNOWN;

    *etype = plain;
    if (phase != EM_TRACING)
        return EM_UNTRACED;
    if (atomic_load(&device->paused))
        return EM_PAUSED;
    *etype = em_device_etype(device, emi, plain);
    if (*etype == 0)
        return EM_OFF;
    if (atomic_load(&device->asked[*etype]) == ompt_set_sometimes && em_random(ONE_OF) == 0)
        return EM_LEFT_OUT;
    return EM_PENDING;
}

void em_fill_truth(struct em_truth *truth, const struct em_identity *who, struct em_interval when)
{
    truth->host_op_id = who->operation;
    truth->target_id = who->target;
    truth->begin = when.begin;
    truth->end = when.end;
    if (who->device != NULL) {
        truth->device_begin = em_clock_at(&who->device->clock, when.begin);
        truth->device_end = em_clock_at(&who->device->clock, when.end);
    }
}

void em_send(struct em_pending *pending, struct em_truth *truth, enum em_fate fate, uint64_t ready)
{
    atomic_store(&truth->fate, fate);
    pending->ready = ready;
    if (fate == EM_PENDING)
        em_engine_submit(pending);
    else
        free(pending);
}

static bool hit(struct em_truth *truth, uint32_t serial, enum em_mode mode)
{
    if (!em_modes_hit(mode, serial))
        return false;
    truth->damage |= UINT64_C(1) << mode;
    return true;
}

static unsigned damage_type(unsigned etype, struct em_truth *truth, uint32_t serial)
{
    static const unsigned char plain[] = {ompt_callback_target, ompt_callback_target_data_op,
                                          ompt_callback_target_submit, ompt_callback_target_map};

    if (hit(truth, serial, EM_TYPE_UNKNOWN))
        return 200 + etype;
    if (em_mode(EM_TYPE_NONEMI) && etype >= ompt_callback_target_emi && etype <= ompt_callback_target_map_emi)
        return plain[etype - ompt_callback_target_emi];
    return etype;
}

/* Nobody says which thread a number means that the tool did not give. */
static uint64_t thread_identity(void)
{
    if (em_mode(EM_THREAD_HASH))
        return (uint64_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15);
    return em_tool_thread_value();
}

/* Half of them have begin and end in each other's place, which can be told; the rest an end that is too early
 * by something, which cannot. */
static void damage_times(struct em_truth *truth, uint32_t serial)
{
    if (hit(truth, serial, EM_END_BEFORE_BEGIN)) {
        uint64_t begin = truth->device_begin;
        if (serial % 2 == 0) {
            truth->device_begin = truth->device_end;
            truth->device_end = begin;
        } else {
            truth->device_end = begin - 1 - em_random(20000);
        }
    }
    if (hit(truth, serial, EM_TIME_ZERO)) {
        truth->device_begin = 0;
        truth->device_end = 0;
    }
    if (hit(truth, serial, EM_BEGIN_ZERO))
        truth->device_begin = 0;
    if (hit(truth, serial, EM_END_ZERO))
        truth->device_end = 0;
}

static uint64_t damage_operation(const struct em_identity *who, struct em_truth *truth, uint32_t serial,
                                 bool data)
{
    if (data && who->last_submit != 0 && hit(truth, serial, EM_ID_SUBMIT))
        return who->last_submit;
    if (hit(truth, serial, EM_ID_ZERO))
        return 0;
    if (hit(truth, serial, EM_ID_UNKNOWN))
        return who->operation + (UINT64_C(1) << 40);
    return who->operation;
}

static struct em_pending *make(const struct em_identity *who, struct em_interval when, enum em_kind kind,
                               unsigned etype, struct em_truth **truth)
{
    struct em_pending *pending = em_pending_new(who->device, kind, truth);

    em_fill_truth(*truth, who, when);
    pending->is.ompt.type = (ompt_callbacks_t)damage_type(etype, *truth, pending->truth);
    pending->is.ompt.thread_id = thread_identity();
    pending->is.ompt.target_id = who->target;
    return pending;
}

void em_make_kernel(const struct em_identity *who, struct em_interval when, unsigned teams, enum em_kind kind)
{
    unsigned etype;
    enum em_fate fate =
        em_fate_of(who->device, ompt_callback_target_submit_emi, ompt_callback_target_submit, &etype);
    struct em_truth *truth;
    struct em_pending *pending = make(who, when, kind, etype, &truth);
    ompt_record_target_kernel_t *kernel = &pending->is.ompt.record.target_kernel;

    damage_times(truth, pending->truth);
    pending->is.ompt.time = truth->device_begin;
    kernel->host_op_id = damage_operation(who, truth, pending->truth, false);
    kernel->requested_num_teams = teams;
    kernel->granted_num_teams = teams != 0 ? teams : 1;
    kernel->end_time = truth->device_end;
    if (kind == EM_KERNEL && em_number(EM_FLOOD) > 0 && fate == EM_PENDING)
        fate = EM_LEFT_OUT; /* what the flood makes of it stands for it */
    em_send(pending, truth, fate, when.end);
}

static enum em_kind kind_of(ompt_target_data_op_t type)
{
    switch (type) {
    case ompt_target_data_alloc:
    case ompt_target_data_alloc_async:
        return EM_ALLOC;
    case ompt_target_data_transfer_to_device:
    case ompt_target_data_transfer_to_device_async:
        return EM_TO;
    case ompt_target_data_transfer_from_device:
    case ompt_target_data_transfer_from_device_async:
        return EM_FROM;
    case ompt_target_data_delete:
    case ompt_target_data_delete_async:
        return EM_DELETE;
    case ompt_target_data_associate:
        return EM_ASSOCIATE;
    default:
        return EM_DISASSOCIATE;
    }
}

/* A copy between devices, with the other one's clock. */
static void damage_copy(struct em_truth *truth, uint32_t serial, struct em_interval when,
                        const struct em_identity *who, const struct em_data_op *op)
{
    const struct em_device *from = em_device(op->from_device);
    const struct em_device *to = em_device(op->to_device);
    const struct em_device *other = from == who->device ? to : from;

    if (from != NULL && to != NULL && from != to && hit(truth, serial, EM_D2D_TIMES)) {
        truth->device_begin = em_clock_at(&other->clock, when.begin);
        truth->device_end = em_clock_at(&other->clock, when.end);
    }
}

void em_make_data_op(const struct em_identity *who, struct em_interval when, const struct em_data_op *op)
{
    unsigned etype;
    enum em_fate fate =
        em_fate_of(who->device, ompt_callback_target_data_op_emi, ompt_callback_target_data_op, &etype);
    struct em_truth *truth;
    struct em_pending *pending = make(who, when, kind_of(op->kind), etype, &truth);
    ompt_record_target_data_op_t *data = &pending->is.ompt.record.target_data_op;
    bool zero = hit(truth, pending->truth, EM_DEVICE_ZERO);

    damage_times(truth, pending->truth);
    damage_copy(truth, pending->truth, when, who, op);
    truth->bytes = op->bytes;
    pending->is.ompt.time = truth->device_begin;
    data->host_op_id = damage_operation(who, truth, pending->truth, true);
    data->optype = op->kind;
    data->src_addr = op->from;
    data->src_device_num = zero ? 0 : op->from_device;
    data->dest_addr = op->to;
    data->dest_device_num = zero ? 0 : op->to_device;
    data->bytes = op->bytes;
    data->end_time = truth->device_end;
    data->codeptr_ra = op->site;
    em_send(pending, truth, fate, when.end);
}

void em_make_target(const struct em_identity *who, uint64_t when, ompt_target_t kind,
                    ompt_scope_endpoint_t endpoint, const void *site)
{
    unsigned etype;
    enum em_fate fate = em_fate_of(who->device, ompt_callback_target_emi, ompt_callback_target, &etype);
    struct em_truth *truth;
    struct em_interval moment = {when, when};
    struct em_pending *pending =
        make(who, moment, endpoint == ompt_scope_begin ? EM_TARGET_BEGIN : EM_TARGET_END, etype, &truth);
    ompt_record_target_t *target = &pending->is.ompt.record.target;

    if (em_mode(EM_TARGET_TIME_ZERO)) {
        truth->damage |= UINT64_C(1) << EM_TARGET_TIME_ZERO;
        truth->device_begin = 0;
        truth->device_end = 0;
    }
    pending->is.ompt.time = truth->device_begin;
    target->kind = kind;
    target->endpoint = endpoint;
    target->device_num = hit(truth, pending->truth, EM_DEVICE_ZERO) ? 0 : who->device->number;
    target->target_id = who->target;
    target->codeptr_ra = site;
    em_send(pending, truth, fate, when);
}
