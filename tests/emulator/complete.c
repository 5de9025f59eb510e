/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hands a range over to the tool: once as the specification has it, and more often where a mode wants it;
 * then makes sure that nobody can go on reading what was taken back. On a delivering thread.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/buffer.h"
#include "tests/emulator/delivery.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

enum { GARBAGE = 0xdb, FOREIGN_BYTES = 4096 };

static void call(struct em_device *device, void *memory, size_t bytes, ompt_buffer_cursor_t begin, int owned)
{
    atomic_fetch_add(&device->completes, 1);
    em_in_callback++;
    device->complete(em_device_told(device), memory, bytes, begin, owned);
    em_in_callback--;
}

static void count_delivered(const struct em_range *range)
{
    size_t offset = range->begin;

    while (offset < range->begin + range->bytes) {
        const struct em_slot *slot = em_buffer_slot(range->buffer, offset);
        atomic_fetch_add(&em_truth_get(slot->truth)->delivered, 1);
        offset += slot->bytes;
    }
}

/* Calls the tool with the range, the last time with the ownership it is to get. */
static void show(struct em_range *range, int owned)
{
    struct em_buffer *buffer = range->buffer;
    ompt_buffer_cursor_t begin = range->bytes == 0 ? 0 : em_cursor_of(range->begin);

    if (range->bytes > 0 && !em_mode(EM_AFTER_END))
        count_delivered(range);
    atomic_fetch_add(&buffer->exposed, 1);
    if (owned) {
        atomic_fetch_add(&range->device->returned, 1);
        atomic_store(&buffer->with_tool, 1);
    }
    call(range->device, buffer->memory, range->bytes, begin, owned);
    atomic_fetch_sub(&buffer->exposed, 1);
}

/* Memory that the tool never gave must not be read as records, kept or freed. */
static void show_foreign(struct em_device *device)
{
    static _Alignas(64) unsigned char foreign[FOREIGN_BYTES];

    call(device, foreign, 0, 0, 1);
    call(device, foreign, sizeof(foreign), em_cursor_of(0), 0);
    for (size_t i = 0; i < sizeof(foreign); i++) {
        if (foreign[i] != 0) {
            em_violation("buffer_complete: the tool wrote to a buffer that is not its own");
            return;
        }
    }
}

static void show_empty(struct em_range *range)
{
    call(range->device, range->buffer->memory, 0, 0, 0);
    call(range->device, range->buffer->memory, 0, em_cursor_of(range->begin), 0);
    call(range->device, NULL, 0, 0, 0);
}

/* The device has the memory again: what the tool still reads there is not a record. */
static void take_back(const struct em_range *range)
{
    if (!em_mode(EM_AFTER_END))
        memset(range->buffer->memory + range->begin, GARBAGE, range->bytes);
}

/* The last range of a buffer that is not filled any more is back: the memory goes too. */
static void return_memory(struct em_buffer *buffer)
{
    struct em_range whole = {.device = buffer->device, .buffer = buffer, .owned = 1};

    show(&whole, 1);
}

/* Only while the tool has not given the memory anew: it could not tell the calls apart. */
static void return_again(struct em_buffer *buffer)
{
    pthread_mutex_lock(&em_buffer_requests);
    if (em_buffer_of(buffer->memory) == buffer)
        call(buffer->device, buffer->memory, 0, 0, 1);
    pthread_mutex_unlock(&em_buffer_requests);
}

static bool is_last_back(struct em_buffer *buffer, int owned)
{
    bool last;

    pthread_mutex_lock(&buffer->lock);
    buffer->in_flight--;
    last = !owned && buffer->closed && buffer->in_flight == 0;
    pthread_mutex_unlock(&buffer->lock);
    return last;
}

void em_buffers_complete(struct em_range *range)
{
    struct em_buffer *buffer = range->buffer;
    struct em_device *device = range->device;
    bool memory_alone = range->bytes == 0;

    if (em_mode(EM_EMPTY))
        show_empty(range);
    if (em_mode(EM_COMPLETE_TWICE) && !memory_alone)
        show(range, 0);
    show(range, range->owned);
    if (range->owned && em_mode(EM_OWNED_TWICE))
        return_again(buffer);
    if (em_mode(EM_FOREIGN))
        show_foreign(device);
    if (!range->owned && !memory_alone) {
        take_back(range);
        if (is_last_back(buffer, range->owned))
            return_memory(buffer);
    }
    free(range);
}
