/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks through a delivered buffer by the runtime's cursor and copies each record out. Called by the thread
 * that delivers, inside buffer_complete. Nothing that the runtime says is believed unseen: pointers are
 * tried, and a walk ends after as many records as there can be.
 */
#include "device/records.h"

#include "device/delivery.h"
#include "device/kinds.h"
#include "device/readable.h"

#include <string.h>

enum { OMPT_FIXED = 3, NATIVE_FIXED = 9, SMALLEST_RECORD = 8 };
enum { MOST_NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - NATIVE_FIXED };

struct record_walk {
    const struct omptape_interface *calls;
    const struct omptape_device_range *range;
    int device;
    struct omptape_readable readable;
    struct omptape_record_times *times;
    uintptr_t first; /* record in the buffer, or 0 */
    bool left_range;
    uint64_t records;
    uint64_t invalid;
    uint64_t dropped;
};

static void note_time(struct record_walk *walk, uint64_t time)
{
    if (time == 0)
        return;
    if (walk->times->first == 0)
        walk->times->first = time;
    walk->times->last = time;
}

/* Cursors mean nothing to us, but records that lie in the buffer say where the cursor went. */
static bool is_in_range(struct record_walk *walk, const void *record)
{
    uintptr_t place = (uintptr_t)record;
    if (place - walk->readable.base >= walk->readable.bytes)
        return true;
    if (walk->first == 0)
        walk->first = place;
    walk->left_range = place >= walk->first && place - walk->first >= walk->range->bytes;
    return !walk->left_range;
}

static struct omptape_record *reserve_record(struct record_walk *walk, struct omptape_slot **slot,
                                             size_t words, enum omptape_kind kind, unsigned a, int device)
{
    *slot = omptape_delivery_slot(kind);
    struct omptape_record *record =
        *slot != NULL ? omptape_producer_reserve(*slot, words, kind, a, (uint32_t)device) : NULL;
    walk->records += record != NULL;
    walk->dropped += record == NULL && omptape_delivery_is_recording();
    return record;
}

static void take_ompt(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    const void *from = walk->calls->get_record_ompt(walk->range->buffer, cursor); /* aligned or not */
    ompt_record_ompt_t head;
    const size_t head_bytes = offsetof(ompt_record_ompt_t, record);
    /* AMD's runtime begins some buffers with none. */
    if (from == NULL || !is_in_range(walk, from))
        return;
    if (!omptape_readable_has(&walk->readable, from, head_bytes)) {
        walk->invalid++;
        return;
    }
    memcpy(&head, from, head_bytes);
    int bytes = omptape_kinds_member_bytes((unsigned)head.type);
    const char *member = (const char *)from + head_bytes;
    if (bytes < 0 || !omptape_readable_has(&walk->readable, from, head_bytes + (size_t)bytes)) {
        walk->invalid++;
        return;
    }
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + OMPT_FIXED + ((size_t)bytes + 7) / 8;
    struct omptape_slot *slot;
    struct omptape_record *record =
        reserve_record(walk, &slot, words, OMPTAPE_DEVICE_RECORD, (unsigned)head.type, walk->device);
    note_time(walk, head.time);
    if (record == NULL)
        return;
    record->p[0] = head.time;
    record->p[1] = head.thread_id;
    record->p[2] = head.target_id;
    if (bytes > 0) {
        record->p[OMPT_FIXED + (bytes - 1) / 8] = 0;
        memcpy(record->p + OMPT_FIXED, member, (size_t)bytes);
    }
    omptape_producer_commit(slot, record);
}

static void put_native(struct record_walk *walk, const ompt_record_abstract_t *abstract,
                       const struct omptape_record_detail *detail, const char *name, size_t length)
{
    uint64_t text[MOST_NAME_WORDS];
    size_t text_words = omptape_producer_text(text, MOST_NAME_WORDS, name, length);
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + NATIVE_FIXED + text_words;
    struct omptape_slot *slot;
    unsigned a = ((unsigned)abstract->rclass & 0xffU) | ((unsigned)detail->activity << 8);
    struct omptape_record *record =
        reserve_record(walk, &slot, words, OMPTAPE_DEVICE_NATIVE, a, detail->device);
    if (record == NULL)
        return;
    record->p[0] = abstract->start_time;
    record->p[1] = abstract->end_time;
    record->p[2] = detail->stream;
    record->p[3] = detail->operation;
    record->p[4] = detail->bytes;
    record->p[5] = ((uint64_t)detail->copy & 0xffU) | ((uint64_t)(uint32_t)detail->peer << 32);
    record->p[6] = detail->teams | ((uint64_t)detail->threads << 32);
    record->p[7] = detail->correlation;
    record->p[8] = detail->context;
    memcpy(record->p + NATIVE_FIXED, text, text_words * sizeof(text[0]));
    omptape_producer_commit(slot, record);
}

/* What OMPT says of a native record (OpenMP 5.2 sections 19.6.2.3.16/17). */
static bool find_abstract(struct record_walk *walk, ompt_buffer_cursor_t cursor, ompt_id_t *operation,
                          ompt_record_abstract_t *abstract)
{
    const struct omptape_interface *calls = walk->calls;
    if (calls->get_record_native == NULL || calls->get_record_abstract == NULL)
        return false;
    void *native = calls->get_record_native(walk->range->buffer, cursor, operation);
    if (native == NULL || !is_in_range(walk, native))
        return false;
    const ompt_record_abstract_t *from = calls->get_record_abstract(native);
    if (from == NULL || !omptape_readable_has(&walk->readable, from, sizeof(*from)))
        return false;
    memcpy(abstract, from, sizeof(*from));
    return true;
}

static void take_native(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    ompt_record_abstract_t abstract = {0};
    ompt_id_t operation = 0;
    bool has_abstract = find_abstract(walk, cursor, &operation, &abstract);
    struct omptape_record_detail detail = {
        .device = walk->device, .peer = -1, .stream = abstract.hwid, .operation = operation};
    if (walk->left_range)
        return;
    if (!has_abstract) {
        walk->invalid++;
        return;
    }
    /* Said only by a producer of our own, whose names can be read. */
    bool detailed = walk->calls->get_record_detail != NULL &&
                    walk->calls->get_record_detail(walk->range->buffer, cursor, &detail);
    const char *name = detailed ? detail.name : abstract.type;
    size_t most = MOST_NAME_WORDS * sizeof(uint64_t);
    size_t length = !detailed             ? omptape_readable_text(&walk->readable, name, most)
                    : detail.name != NULL ? most
                                          : 0;
    note_time(walk, abstract.start_time);
    note_time(walk, abstract.end_time);
    put_native(walk, &abstract, &detail, length > 0 ? name : NULL, length);
}

static ompt_record_t type_of(const struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    if (walk->calls->get_record_type != NULL)
        return walk->calls->get_record_type(walk->range->buffer, cursor);
    return walk->calls->get_record_ompt != NULL ? ompt_record_ompt : ompt_record_native;
}

static void take_one(struct record_walk *walk, ompt_buffer_cursor_t cursor)
{
    ompt_record_t type = type_of(walk, cursor);
    if (type == ompt_record_ompt && walk->calls->get_record_ompt != NULL)
        take_ompt(walk, cursor);
    else if (type == ompt_record_native)
        take_native(walk, cursor);
    else
        walk->invalid++;
}

static void walk_through(struct record_walk *walk, ompt_device_t *device)
{
    const struct omptape_device_range *range = walk->range;
    ompt_buffer_cursor_t cursor = range->begin;
    ompt_buffer_cursor_t milestone = cursor;
    size_t most = range->bytes / SMALLEST_RECORD + 1;
    for (size_t n = 1; n <= most; n++) {
        take_one(walk, cursor);
        if (walk->left_range)
            break;
        ompt_buffer_cursor_t next = cursor;
        if (!walk->calls->advance_buffer_cursor(device, range->buffer, range->bytes, cursor, &next))
            return;
        /* A cursor that goes round comes back to the start, or sooner or later to a milestone (Brent's way).
         */
        if (next == cursor || next == range->begin || next == milestone)
            break;
        if ((n & (n - 1)) == 0)
            milestone = next;
        cursor = next;
    }
    /* It did not end as it should. */
    walk->invalid++;
}

void omptape_records_take(struct omptape_traced_device *device, const struct omptape_device_range *range,
                          struct omptape_record_times *times)
{
    struct record_walk walk = {.calls = &device->calls,
                               .range = range,
                               .device = device->number,
                               .readable = {.base = (uintptr_t)range->base, .bytes = range->size},
                               .times = times};
    *times = (struct omptape_record_times){0};
    walk_through(&walk, device->pointer);
    atomic_fetch_add_explicit(&device->records, walk.records, memory_order_relaxed);
    atomic_fetch_add_explicit(&device->invalid, walk.invalid, memory_order_relaxed);
    atomic_fetch_add_explicit(&device->dropped, walk.dropped, memory_order_relaxed);
}
