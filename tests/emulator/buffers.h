/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tool's memory while the device fills it: asking for buffers, packing records, cutting them into ranges,
 * and finding a record again by buffer and cursor. Lanes fill one buffer at a time: one a device, or one a
 * thread and device.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tests/emulator/records.h"

struct em_buffer;

/* A part of a buffer that is to be handed over. */
struct em_range {
    struct em_range *next;
    struct em_device *device;
    struct em_buffer *buffer;
    size_t begin;
    size_t bytes;
    int owned;
    bool released; /* may be handed over now; else a late mode holds it back */
};

/* Puts a record into its lane's buffer; asks the tool for one where there is none. Takes the record over. */
void em_buffers_put(struct em_pending *pending);

/* Hands over (to delivery.c) what is filled. `last`: tracing ends, the lanes forget their buffers. */
void em_buffers_send(struct em_device *device, bool last);

/* hoard: asks for buffers that nobody needs. */
void em_buffers_hoard(struct em_device *device);

/* Calls the tool's buffer_complete for a range, as often and as strangely as the modes want, and looks after
 * the buffer. Frees the range. On a delivering thread. */
void em_buffers_complete(struct em_range *range);

/* The record at a cursor, or NULL: the buffer or the cursor is not one that the tool may use now. `what`: the
 * entry point. */
struct em_slot *em_buffers_find(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor, const char *what);

/* The cursor after this one: false at the end of its range. */
bool em_buffers_advance(ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t current,
                        ompt_buffer_cursor_t *next);
