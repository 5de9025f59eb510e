/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the tool's buffers and cuts them into ranges. em_buffers_put runs on the engine's thread (or the
 * program's), em_buffers_complete on the delivering threads.
 */
#include "tests/emulator/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "tests/emulator/buffer.h"
#include "tests/emulator/delivery.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

enum { HOARD = 4 };

/* Where records of a device, or of one thread on it, go. */
struct em_lane {
    struct em_lane *next;
    pthread_mutex_t lock;
    pthread_t thread;
    struct em_buffer *current;
    unsigned unsent; /* records in it that no range holds yet */
    unsigned limit;  /* subranges: of them */
    bool null_due;   /* first_null */
};

static struct em_lane *lane_of(struct em_device *device)
{
    pthread_t self = em_mode(EM_REQUEST_APP) ? pthread_self() : 0;
    struct em_lane *lane;

    pthread_mutex_lock(&device->lock);
    for (lane = device->lanes; lane != NULL && !pthread_equal(lane->thread, self); lane = lane->next) {
    }
    if (lane == NULL) {
        lane = calloc(1, sizeof(*lane));
        if (lane == NULL)
            abort();
        pthread_mutex_init(&lane->lock, NULL);
        lane->thread = self;
        lane->null_due = em_mode(EM_FIRST_NULL);
        lane->next = device->lanes;
        device->lanes = lane;
    }
    pthread_mutex_unlock(&device->lock);
    return lane;
}

static struct em_buffer *ask(struct em_device *device)
{
    ompt_buffer_t *memory = NULL;
    size_t bytes = 0;
    struct em_buffer *buffer = NULL;

    atomic_fetch_add(&device->requested, 1);
    if (em_mode(EM_OWNED_TWICE))
        pthread_mutex_lock(&em_buffer_requests);
    em_in_callback++;
    device->request(em_device_told(device), &memory, &bytes);
    em_in_callback--;
    if (memory != NULL && bytes != 0) {
        atomic_fetch_add(&device->given, 1);
        buffer = em_buffer_new(device, memory, bytes);
    }
    if (em_mode(EM_OWNED_TWICE))
        pthread_mutex_unlock(&em_buffer_requests);
    return buffer;
}

static void push(struct em_buffer *buffer, size_t begin, size_t bytes, int owned)
{
    struct em_range *range = calloc(1, sizeof(*range));

    if (range == NULL)
        abort();
    range->device = buffer->device;
    range->buffer = buffer;
    range->begin = begin;
    range->bytes = bytes;
    range->owned = owned;
    em_delivery_push(range);
}

/* Marks the end of a range in its last record and sends it. */
static void send_range(struct em_lane *lane, int owned)
{
    struct em_buffer *buffer = lane->current;
    size_t begin = buffer->sent;
    size_t bytes = buffer->used - begin;

    if (bytes > 0) {
        struct em_slot *slot = em_buffer_slot(buffer, buffer->last);
        slot->last = 1;
        slot->range_begin = (uint32_t)begin;
    }
    pthread_mutex_lock(&buffer->lock);
    buffer->sent = buffer->used;
    buffer->in_flight++;
    pthread_mutex_unlock(&buffer->lock);
    lane->unsent = 0;
    lane->limit = 1 + (unsigned)em_random((uint64_t)em_number(EM_SUBRANGE));
    push(buffer, begin, bytes, owned);
}

/* The lane needs its buffer no more. With sub-ranges the memory goes back by a call of its own, after the
 * last of them; in one piece it goes with the records. */
static void close_buffer(struct em_lane *lane)
{
    struct em_buffer *buffer = lane->current;
    bool all_back;

    if (!em_mode(EM_SUBRANGES)) {
        send_range(lane, 1);
    } else {
        if (buffer->used > buffer->sent)
            send_range(lane, 0);
        pthread_mutex_lock(&buffer->lock);
        buffer->closed = true;
        all_back = buffer->in_flight == 0;
        pthread_mutex_unlock(&buffer->lock);
        if (all_back)
            push(buffer, 0, 0, 1);
    }
    lane->current = NULL;
}

static bool fits(const struct em_buffer *buffer, size_t bytes)
{
    return buffer->bytes - buffer->used >= bytes;
}

/* A lane's buffer with room, asked for where there is none. */
static struct em_buffer *make_room(struct em_device *device, struct em_lane *lane, size_t bytes)
{
    if (lane->current != NULL && !fits(lane->current, bytes))
        close_buffer(lane);
    if (lane->current == NULL)
        lane->current = ask(device);
    if (lane->current != NULL && !fits(lane->current, bytes)) {
        em_note("a buffer of %zu bytes is too small for a record", lane->current->bytes);
        close_buffer(lane);
    }
    return lane->current;
}

static void write_slot(struct em_lane *lane, const struct em_pending *pending, size_t bytes)
{
    struct em_buffer *buffer = lane->current;
    struct em_slot slot = {.magic = EM_SLOT_MAGIC,
                           .bytes = (uint32_t)bytes,
                           .truth = pending->truth,
                           .payload = (uint16_t)em_record_bytes(pending),
                           .form = (uint8_t)pending->form};

    memcpy(buffer->memory + buffer->used, &slot, sizeof(slot));
    memcpy(buffer->memory + buffer->used + sizeof(slot), em_record_payload(pending), slot.payload);
    buffer->last = buffer->used;
    buffer->used += bytes;
    lane->unsent++;
}

/* Records of one type differ in size: what follows is found only by ompt_advance_buffer_cursor. */
static size_t slot_bytes(size_t payload)
{
    return ((sizeof(struct em_slot) + payload + 7) & ~(size_t)7) + 8 * em_random(4);
}

static void put_once(struct em_lane *lane, struct em_pending *pending)
{
    size_t bytes = slot_bytes(em_record_bytes(pending));
    struct em_truth *truth = em_truth_get(pending->truth);

    if (make_room(pending->device, lane, bytes) == NULL) {
        atomic_store(&truth->fate, EM_DROPPED);
        return;
    }
    write_slot(lane, pending, bytes);
    atomic_store(&truth->fate, EM_BUFFERED);
    if (em_mode(EM_SUBRANGES) && lane->unsent >= lane->limit)
        send_range(lane, 0);
}

static void put_nothing(struct em_lane *lane, struct em_device *device, enum em_form form)
{
    struct em_truth *truth;
    struct em_pending *nothing = em_pending_new(device, EM_NOTHING, &truth);

    nothing->form = form;
    put_once(lane, nothing);
    free(nothing);
}

void em_buffers_put(struct em_pending *pending)
{
    struct em_lane *lane = lane_of(pending->device);
    struct em_truth *truth = em_truth_get(pending->truth);

    pthread_mutex_lock(&lane->lock);
    if (lane->null_due) {
        lane->null_due = false;
        put_nothing(lane, pending->device, EM_FORM_NULL);
    }
    put_once(lane, pending);
    if (em_modes_hit(EM_DUPLICATE, pending->truth)) {
        truth->damage |= UINT64_C(1) << EM_DUPLICATE;
        put_once(lane, pending);
    }
    if (em_modes_hit(EM_INVALID, pending->truth))
        put_nothing(lane, pending->device, EM_FORM_INVALID);
    pthread_mutex_unlock(&lane->lock);
    free(pending);
}

static void send_lane(struct em_lane *lane, bool last)
{
    pthread_mutex_lock(&lane->lock);
    if (lane->current != NULL) {
        if (!em_mode(EM_SUBRANGES) || (last && em_mode(EM_PARTIAL_BACK)))
            close_buffer(lane);
        else if (lane->current->used > lane->current->sent)
            send_range(lane, 0);
        if (last && lane->current != NULL) { /* never comes back: freed by the tool after ompt_stop_trace */
            atomic_store(&lane->current->with_tool, !em_delivery_is_late());
            lane->current = NULL;
        }
    }
    pthread_mutex_unlock(&lane->lock);
}

void em_buffers_send(struct em_device *device, bool last)
{
    struct em_lane *lane;

    pthread_mutex_lock(&device->lock);
    lane = device->lanes;
    pthread_mutex_unlock(&device->lock);
    for (; lane != NULL; lane = lane->next)
        send_lane(lane, last);
    if (last)
        em_buffer_return_hoard(device);
}

void em_buffers_hoard(struct em_device *device)
{
    for (int i = 0; i < HOARD; i++) {
        struct em_buffer *buffer = ask(device);
        if (buffer != NULL)
            buffer->hoarded = true;
    }
}
