/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records beside those of OMPT operations: native ones, and one of every type that ompt_record_ompt_t can
 * hold, made up. Called on the thread of the host operation.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/making.h"
#include "tests/emulator/modes.h"

static void put_native(const struct em_identity *who, struct em_interval when, unsigned type, bool info)
{
    struct em_truth *truth;
    struct em_pending *pending = em_pending_new(who->device, info ? EM_NATIVE_INFO : EM_NATIVE_OP, &truth);

    em_fill_truth(truth, who, when);
    if (info) {
        truth->device_begin = 0;
        truth->device_end = 0;
    }
    pending->form = EM_FORM_NATIVE;
    pending->is.native =
        (struct em_native){.magic = EM_NATIVE_MAGIC,
                           .host_op_id = info ? 0 : who->operation,
                           .start = truth->device_begin,
                           .end = truth->device_end,
                           .hwid = 7 + type,
                           .rclass = info ? ompt_record_native_info : ompt_record_native_event,
                           .type = type};
    em_send(pending, truth, EM_PENDING, when.end);
}

void em_make_native(const struct em_identity *who, struct em_interval when, int flags, unsigned type)
{
    const struct em_device *device = who->device;

    if (!em_mode(EM_NATIVE) || device == NULL || atomic_load(&device->phase) != EM_TRACING ||
        atomic_load(&device->paused) || (atomic_load(&device->native_flags) & flags) == 0)
        return;
    put_native(who, when, type, false);
    if (type == EM_NATIVE_DRIVER)
        put_native(who, when, EM_NATIVE_UNNAMED, true);
}

static void fill_dependences(ompt_record_ompt_t *record)
{
    static ompt_dependence_t dependences[2] = {{{.value = 64}, ompt_dependence_type_in},
                                               {{.value = 128}, ompt_dependence_type_out}};

    record->record.dependences.task_id = 3;
    record->record.dependences.dep = dependences[0];
    record->record.dependences.ndeps = 2;
}

static void fill_map(ompt_record_ompt_t *record, uint64_t target)
{
    static int cells[2];
    static void *addresses[2] = {&cells[0], &cells[1]};
    static size_t bytes[2] = {sizeof(cells[0]), sizeof(cells[1])};
    static unsigned flags[2] = {ompt_target_map_flag_to, ompt_target_map_flag_from};

    record->record.target_map = (ompt_record_target_map_t){.target_id = target,
                                                           .nitems = 2,
                                                           .host_addr = addresses,
                                                           .device_addr = addresses,
                                                           .bytes = bytes,
                                                           .mapping_flags = flags};
}

/* Plausible values in the members that two types or more have at the same place. */
static void fill(ompt_record_ompt_t *record, unsigned type, uint64_t target)
{
    static const ompt_work_t loop = ompt_work_loop;

    switch (type) {
    case ompt_callback_thread_begin:
        record->record.thread_begin.thread_type = ompt_thread_worker;
        break;
    case ompt_callback_parallel_begin:
        record->record.parallel_begin.encountering_task_id = 3;
        record->record.parallel_begin.parallel_id = 4;
        record->record.parallel_begin.requested_parallelism = 32;
        record->record.parallel_begin.flags = (int)ompt_parallel_team;
        break;
    case ompt_callback_work:
        memcpy(&record->record.work, &loop,
               sizeof(loop)); /* its name differs between versions of the header */
        record->record.work.endpoint = ompt_scope_begin;
        record->record.work.parallel_id = 4;
        record->record.work.task_id = 5;
        record->record.work.count = 100;
        break;
    case ompt_callback_sync_region:
    case ompt_callback_sync_region_wait:
    case ompt_callback_reduction:
        record->record.sync_region.kind = ompt_sync_region_barrier_explicit;
        record->record.sync_region.endpoint = ompt_scope_begin;
        break;
    case ompt_callback_dependences:
        fill_dependences(record);
        break;
    case ompt_callback_target_map:
    case ompt_callback_target_map_emi:
        fill_map(record, target);
        break;
    default:
        record->record.task_schedule.prior_task_id = 5;
        break;
    }
}

void em_make_every_kind(const struct em_identity *who, struct em_interval when)
{
    uint64_t step = (when.end - when.begin) / EM_ETYPES;

    for (unsigned type = 1; type < EM_ETYPES; type++) {
        unsigned etype;
        enum em_fate fate = em_fate_of(who->device, 0, type, &etype);
        uint64_t moment = when.begin + step * type;
        struct em_truth *truth;
        struct em_pending *pending;
        if (type > ompt_callback_error ||
            (type >= ompt_callback_target && type <= ompt_callback_target_submit) ||
            (type >= ompt_callback_target_emi && type <= ompt_callback_target_submit_emi))
            continue;
        pending = em_pending_new(who->device, EM_HOST_EVENT, &truth);
        em_fill_truth(truth, who, (struct em_interval){moment, moment});
        truth->bytes = type;
        pending->is.ompt.type = (ompt_callbacks_t)type;
        pending->is.ompt.time = truth->device_begin;
        pending->is.ompt.thread_id = UINT64_C(0x1000) + type % 4;
        pending->is.ompt.target_id = who->target;
        fill(&pending->is.ompt, type, who->target);
        em_send(pending, truth, fate, when.end);
    }
}
