/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the held-back record (held.h).
 */
#include "buffers/held.h"

enum { WORDS = OMPTAPE_RECORD_HEADER_WORDS + 2 };

bool omptape_held_is_last(const struct omptape_slot *slot)
{
    return slot->held != NULL && slot->cursor == slot->held + WORDS;
}

static void release(struct omptape_slot *slot, uint64_t time)
{
    omptape_producer_release(slot, omptape_clock_is_counter ? 0 : OMPTAPE_SLOT_SLOW);
    if (omptape_producer_is_set(&slot->interrupted))
        omptape_producer_append_queued(slot, time);
}

void omptape_held_put(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b, uint64_t p0,
                      uint64_t p1)
{
    struct omptape_record *record = omptape_producer_reserve(slot, WORDS, kind, a, b);
    if (record == NULL)
        return;
    const uint64_t time = record->time;
    record->p[0] = p0;
    record->p[1] = p1;
    /* The record was queued (signal_queue.h). */
    if ((const void *)record != slot->cursor)
        return;
    /* Commits all earlier records, including an earlier held-back one. */
    omptape_slot_advance(slot, slot->cursor, 0);
    slot->held = slot->cursor;
    slot->cursor += WORDS;
    atomic_store_explicit(&slot->chunk->held,
                          (uint32_t)((const unsigned char *)slot->cursor - slot->chunk->records),
                          memory_order_release);
    release(slot, time);
}

bool omptape_held_update(struct omptape_slot *slot, uint64_t time, uint64_t p0, uint64_t p1)
{
    if (atomic_load_explicit(&slot->busy, memory_order_relaxed) > OMPTAPE_SLOT_SLOW)
        return false;
    omptape_producer_acquire(slot);
    const bool last = omptape_held_is_last(slot);
    if (last) {
        struct omptape_record *record = (struct omptape_record *)(void *)slot->held;
        __atomic_store_n(&record->time, time, __ATOMIC_RELAXED);
        __atomic_store_n(&record->p[0], p0, __ATOMIC_RELAXED);
        __atomic_store_n(&record->p[1], p1, __ATOMIC_RELAXED);
    }
    release(slot, time);
    return last;
}
