/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of records in buffers: no longer than their type needs, unless records are read in place. Called
 * by the engine and by the tool's threads through interface.c.
 */
#include "tests/emulator/records.h"

#include <stdlib.h>
#include <string.h>

#include "tests/emulator/modes.h"

const char *const em_native_types[] = {"KernelExecution", "MemoryCopy", "MemoryManagement", "DriverCall",
                                       NULL};

struct em_pending *em_pending_new(struct em_device *device, enum em_kind kind, struct em_truth **truth)
{
    struct em_pending *pending = calloc(1, sizeof(*pending));

    if (pending == NULL)
        abort();
    *truth = em_truth_add(&pending->truth);
    (*truth)->device = (int16_t)(device != NULL ? device->number : -1);
    (*truth)->kind = (uint8_t)kind;
    pending->device = device;
    return pending;
}

static size_t union_bytes(int type)
{
    switch (type) {
    case ompt_callback_thread_begin:
        return sizeof(ompt_record_thread_begin_t);
    case ompt_callback_parallel_begin:
        return sizeof(ompt_record_parallel_begin_t);
    case ompt_callback_parallel_end:
        return sizeof(ompt_record_parallel_end_t);
    case ompt_callback_task_create:
        return sizeof(ompt_record_task_create_t);
    case ompt_callback_dependences:
        return sizeof(ompt_record_dependences_t);
    case ompt_callback_task_schedule:
        return sizeof(ompt_record_task_schedule_t);
    case ompt_callback_implicit_task:
        return sizeof(ompt_record_implicit_task_t);
    case ompt_callback_target:
    case ompt_callback_target_emi:
        return sizeof(ompt_record_target_t);
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
        return sizeof(ompt_record_target_data_op_t);
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
        return sizeof(ompt_record_target_kernel_t);
    case ompt_callback_thread_end:
        return 0;
    default:
        return sizeof(((ompt_record_ompt_t *)NULL)->record);
    }
}

size_t em_record_bytes(const struct em_pending *pending)
{
    switch (pending->form) {
    case EM_FORM_NATIVE:
        return sizeof(pending->is.native);
    case EM_FORM_INVALID:
    case EM_FORM_NULL:
        return 8;
    default:
        if (em_mode(EM_IN_PLACE))
            return sizeof(pending->is.ompt);
        return offsetof(ompt_record_ompt_t, record) + union_bytes((int)pending->is.ompt.type);
    }
}

const void *em_record_payload(const struct em_pending *pending)
{
    return &pending->is;
}

ompt_record_ompt_t *em_record_read(struct em_slot *slot)
{
    static _Thread_local ompt_record_ompt_t assembled;
    size_t bytes = slot->payload; /* one that is read too late may be written over just now */

    if (em_mode(EM_IN_PLACE))
        return (ompt_record_ompt_t *)(void *)(slot + 1);
    memset(&assembled, 0xa5, sizeof(assembled));
    memcpy(&assembled, slot + 1, bytes < sizeof(assembled) ? bytes : sizeof(assembled));
    return &assembled;
}
