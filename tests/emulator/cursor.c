/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds records for the tool: the table of buffers, and cursors, which say nothing to anybody else. Called by
 * the tool on any thread, within buffer_complete or later.
 */
#include <stdlib.h>

#include "tests/emulator/buffer.h"
#include "tests/emulator/delivery.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

enum { BUCKETS = 1024, PATIENCE = 100000, ROUNDS = 2000 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct em_buffer *table[BUCKETS];

pthread_mutex_t em_buffer_requests = PTHREAD_MUTEX_INITIALIZER;

static struct em_buffer **bucket_of(const void *memory)
{
    return &table[((uintptr_t)memory * UINT64_C(0x9e3779b97f4a7c15) >> 40) % BUCKETS];
}

static struct em_buffer *find(const void *memory)
{
    struct em_buffer *buffer = *bucket_of(memory);

    while (buffer != NULL && buffer->memory != memory)
        buffer = buffer->next;
    return buffer;
}

struct em_buffer *em_buffer_of(const void *memory)
{
    struct em_buffer *buffer;

    pthread_rwlock_rdlock(&lock);
    buffer = find(memory);
    pthread_rwlock_unlock(&lock);
    return buffer;
}

static void forget(const struct em_buffer *buffer)
{
    struct em_buffer **at = bucket_of(buffer->memory);

    while (*at != buffer)
        at = &(*at)->next;
    *at = buffer->next;
}

/* An older descriptor stays in memory, out of the table: a thread may still be about to return from the call
 * that gave its memory back. */
struct em_buffer *em_buffer_new(struct em_device *device, void *memory, size_t bytes)
{
    struct em_buffer *buffer = calloc(1, sizeof(*buffer));
    struct em_buffer *older;

    if (buffer == NULL)
        abort();
    if ((uintptr_t)memory % 8 != 0)
        em_violation("buffer_request: a buffer that is not aligned");
    buffer->device = device;
    buffer->memory = memory;
    buffer->bytes = bytes;
    pthread_mutex_init(&buffer->lock, NULL);
    pthread_rwlock_wrlock(&lock);
    older = find(memory);
    if (older != NULL) {
        if (!atomic_load(&older->with_tool) && atomic_load(&older->device->phase) == EM_TRACING)
            em_violation("buffer_request: gave a buffer that the device already has");
        forget(older);
    }
    buffer->next = *bucket_of(memory);
    *bucket_of(memory) = buffer;
    pthread_rwlock_unlock(&lock);
    return buffer;
}

void em_buffer_return_hoard(struct em_device *device)
{
    for (int i = 0; i < BUCKETS; i++) {
        for (struct em_buffer *buffer = table[i]; buffer != NULL; buffer = buffer->next) {
            if (buffer->device == device && buffer->hoarded) {
                struct em_range *range = calloc(1, sizeof(*range));
                if (range == NULL)
                    abort();
                buffer->hoarded = false;
                *range = (struct em_range){.device = device, .buffer = buffer, .owned = 1};
                em_delivery_push(range);
            }
        }
    }
}

struct em_slot *em_buffer_slot(struct em_buffer *buffer, size_t offset)
{
    return (struct em_slot *)(void *)(buffer->memory + offset);
}

/* Odd, so that it has an inverse for 64-bit words. */
#define FACTOR UINT64_C(0xd1342543de82ef95)
#define KEY UINT64_C(0x5bd1e9955bd1e995)

static uint64_t inverse(void)
{
    uint64_t found = FACTOR;

    for (int i = 0; i < 6; i++)
        found *= 2 - FACTOR * found;
    return found;
}

ompt_buffer_cursor_t em_cursor_of(size_t offset)
{
    return em_mode(EM_CURSOR_PLAIN) ? offset : ((uint64_t)offset + 1) * FACTOR ^ KEY;
}

static uint64_t offset_of(ompt_buffer_cursor_t cursor)
{
    return em_mode(EM_CURSOR_PLAIN) ? cursor : (cursor ^ KEY) * inverse() - 1;
}

struct em_slot *em_buffers_find(ompt_buffer_t *memory, ompt_buffer_cursor_t cursor, const char *what)
{
    struct em_buffer *buffer = em_buffer_of(memory);
    uint64_t offset = offset_of(cursor);
    struct em_slot *slot;

    if (buffer == NULL) {
        em_violation("%s: not a buffer of the tool", what);
        return NULL;
    }
    if (!atomic_load(&buffer->with_tool) && !atomic_load(&buffer->exposed)) {
        em_violation("%s: a buffer that the device has not handed over", what);
        return NULL;
    }
    if (em_mode(EM_CURSOR_PAST) && offset >= buffer->used)
        return NULL;
    if (offset % 8 != 0 || offset + sizeof(struct em_slot) > buffer->used) {
        em_violation("%s: a cursor that the device never gave", what);
        return NULL;
    }
    slot = em_buffer_slot(buffer, (size_t)offset);
    /* Who reads it too late may meet one that is being written. */
    if (slot->magic != EM_SLOT_MAGIC || slot->truth >= em_truth_count()) {
        em_violation("%s: a record that was taken away, or written over", what);
        return NULL;
    }
    return slot;
}

/* A cursor that does not end: the tool must. */
static bool go_on(unsigned patience)
{
    static _Thread_local unsigned steps;

    if (++steps > patience) {
        em_violation("ompt_advance_buffer_cursor: still asked after %u steps that led nowhere", patience);
        steps = 0;
        return false;
    }
    return true;
}

bool em_buffers_advance(ompt_buffer_t *memory, size_t bytes, ompt_buffer_cursor_t current,
                        ompt_buffer_cursor_t *next)
{
    struct em_slot *slot = em_buffers_find(memory, current, "ompt_advance_buffer_cursor");
    struct em_buffer *buffer = em_buffer_of(memory);
    uint64_t offset = offset_of(current);

    if (slot == NULL) {
        *next = em_cursor_of((size_t)offset + 8);
        return em_mode(EM_CURSOR_PAST) && go_on(PATIENCE);
    }
    if (bytes > buffer->bytes)
        em_violation("ompt_advance_buffer_cursor: a size of %zu for a buffer of %zu", bytes, buffer->bytes);
    if (!slot->last) {
        *next = em_cursor_of((size_t)offset + slot->bytes);
        return true;
    }
    if (em_mode(EM_CURSOR_LOOP)) {
        *next = current;
        return go_on(PATIENCE);
    }
    if (em_mode(EM_CURSOR_CYCLE)) {
        *next = em_cursor_of(slot->range_begin);
        return go_on(ROUNDS);
    }
    if (em_mode(EM_CURSOR_PAST)) {
        *next = em_cursor_of(buffer->used);
        return go_on(PATIENCE);
    }
    *next = 0;
    return false;
}
