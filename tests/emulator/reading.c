/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ompt_advance_buffer_cursor and the ompt_get_record_ functions. Called by the tool within buffer_complete,
 * or later on memory that it was given back.
 */
#include "tests/emulator/reading.h"

#include <string.h>

#include "tests/emulator/buffers.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

static int advance_buffer_cursor(ompt_device_t *pointer, ompt_buffer_t *buffer, size_t bytes,
                                 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next)
{
    if (em_device_of(pointer, "ompt_advance_buffer_cursor") == NULL)
        return 0;
    return em_buffers_advance(buffer, bytes, current, next);
}

static ompt_record_t get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    const struct em_slot *slot = em_buffers_find(buffer, current, "ompt_get_record_type");

    if (slot == NULL)
        return ompt_record_invalid;
    switch (slot->form) {
    case EM_FORM_OMPT:
    case EM_FORM_NULL:
        return ompt_record_ompt;
    case EM_FORM_NATIVE:
        return ompt_record_native;
    default:
        return ompt_record_invalid;
    }
}

static void count_read(const struct em_slot *slot)
{
    atomic_fetch_add(&em_truth_get(slot->truth)->read, 1);
}

static ompt_record_ompt_t *get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current)
{
    struct em_slot *slot = em_buffers_find(buffer, current, "ompt_get_record_ompt");

    if (slot == NULL)
        return NULL;
    if (slot->form == EM_FORM_NATIVE && !em_modes_missing("get_record_type"))
        em_violation("ompt_get_record_ompt: asked for a native record");
    if (slot->form != EM_FORM_OMPT)
        return NULL;
    count_read(slot);
    return em_record_read(slot);
}

static void *get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current, ompt_id_t *host_op_id)
{
    struct em_slot *slot = em_buffers_find(buffer, current, "ompt_get_record_native");
    struct em_native *native;

    if (slot == NULL)
        return NULL;
    if (slot->form != EM_FORM_NATIVE) {
        em_violation("ompt_get_record_native: asked for a record that is not native");
        return NULL;
    }
    native = (struct em_native *)(void *)(slot + 1);
    if (host_op_id != NULL)
        *host_op_id = native->host_op_id;
    count_read(slot);
    return native;
}

static ompt_record_abstract_t *get_record_abstract(void *record)
{
    static _Thread_local ompt_record_abstract_t abstract;
    const struct em_native *native = record;

    if (native == NULL || native->magic != EM_NATIVE_MAGIC) {
        em_violation("ompt_get_record_abstract: not a native record");
        return NULL;
    }
    abstract = (ompt_record_abstract_t){.rclass = (ompt_record_native_t)native->rclass,
                                        .type = em_native_types[native->type],
                                        .start_time = native->start,
                                        .end_time = native->end,
                                        .hwid = native->hwid};
    return &abstract;
}

ompt_interface_fn_t em_reading_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
        {"advance_buffer_cursor", (ompt_interface_fn_t)advance_buffer_cursor},
        {"get_record_type", (ompt_interface_fn_t)get_record_type},
        {"get_record_ompt", (ompt_interface_fn_t)get_record_ompt},
        {"get_record_native", (ompt_interface_fn_t)get_record_native},
        {"get_record_abstract", (ompt_interface_fn_t)get_record_abstract},
    };

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (strcmp(name, entries[i].name) == 0)
            return entries[i].function;
    return NULL;
}
