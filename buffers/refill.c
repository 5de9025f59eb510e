/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Provides a thread's next chunk (refill.h). Called by producer.c on program threads.
 */
#include "buffers/refill.h"

#include "buffers/futex.h"
#include "buffers/layout.h"
#include "buffers/pool.h"
#include "buffers/writer_monitor.h"
#include "src/core/clock.h"
#include "src/core/message.h"

static const uint64_t wait_slice_ns = 100000000;
static const uint64_t stuck_ns = UINT64_C(5000000000);
/* A thread wakes the writer once for this many chunks, as a wake-up costs as much as 100 records. */
enum { CHUNKS_PER_WAKE = 8 };
/* The cost of records is measured in one of this many chunks. */
enum { CHUNKS_PER_TIMING = 8 };

/* Detects that a thread waits for a chunk that will never come. A program that overwrites the pool's lists
 * loses its chunks. An idle writer then returns none, and thread and writer would wait for each other. A
 * writer that waits for a disk is not asleep. */
struct stuck_wait {
    uint32_t freed;    /* The value of `freed` at the last check. */
    unsigned idle;     /* Checks since it changed that found the writer asleep. */
    uint64_t since_ns; /* The time of the first of them. */
};

static bool is_stuck(struct omptape_shm *shm, struct stuck_wait *wait, uint32_t freed)
{
    enum { MIN_IDLE = 20 };
    static _Atomic bool reported;
    if (freed != wait->freed)
        wait->idle = 0;
    else if (atomic_load(&shm->writer_sleeps) != OMPTAPE_WRITER_AWAKE && wait->idle++ == 0)
        wait->since_ns = omptape_clock_raw_ns();
    wait->freed = freed;
    if (wait->idle < MIN_IDLE || omptape_clock_raw_ns() - wait->since_ns < stuck_ns)
        return false;
    atomic_store_explicit(&shm->chunks_missing, OMPTAPE_MISSING_OVERWRITTEN, memory_order_relaxed);
    if (!atomic_exchange(&reported, true))
        omptape_message(
            "the program has overwritten omptape's buffers; some threads are not traced any more");
    return true;
}

uint32_t omptape_refill_wait(struct omptape_shm *shm)
{
    uint32_t number;
    struct stuck_wait wait = {.freed = 0};
    atomic_fetch_add(&shm->chunk_waiters, 1);
    for (bool waited = false;; waited = true) {
        uint32_t seen = atomic_load(&shm->freed);
        number = omptape_pool_alloc_chunk(shm);
        if (number != OMPTAPE_NO_CHUNK || is_stuck(shm, &wait, seen))
            break;
        if (atomic_load(&shm->program_state) != OMPTAPE_PROGRAM_RUNNING ||
            omptape_writer_monitor_is_lost(shm))
            break;
        /* All existing chunks may be the current chunks of live threads. */
        if (waited && atomic_load_explicit(&shm->chunks_missing, memory_order_relaxed) != 0)
            break;
        omptape_writer_monitor_wake(shm, true);
        omptape_futex_wait(&shm->freed, seen, wait_slice_ns);
    }
    atomic_fetch_sub(&shm->chunk_waiters, 1);
    return number;
}

void omptape_refill_use(struct omptape_shm *shm, struct omptape_slot *slot, uint32_t number)
{
    struct omptape_chunk *chunk = omptape_layout_chunk(shm, number);
    struct omptape_chunk *previous = slot->chunk;
    struct omptape_shared_slot *shared = slot->shared;
    atomic_store_explicit(&chunk->committed, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->next, OMPTAPE_NO_CHUNK, memory_order_relaxed);
    atomic_store_explicit(&chunk->held, 0, memory_order_relaxed);
    chunk->slot = slot->index;
    chunk->number = number;
    uint64_t taken = atomic_load_explicit(&shared->chunks_taken, memory_order_relaxed);
    atomic_store_explicit(&shared->chunks_taken, taken + 1, memory_order_relaxed);
    slot->wait_failed = 0;
    slot->chunk = chunk;
    slot->held = NULL;
    slot->records = chunk->records;
    slot->cursor = (uint64_t *)(void *)chunk->records;
    slot->limit = (uint64_t *)(void *)((unsigned char *)chunk + OMPTAPE_CHUNK_BYTES);
    if (previous != NULL)
        atomic_store_explicit(&previous->next, number, memory_order_release);
    else
        atomic_store_explicit(&shared->first_chunk, number, memory_order_release);
    if (taken % CHUNKS_PER_TIMING == 0)
        slot->timed_records = OMPTAPE_RECORDS_BEFORE + OMPTAPE_RECORDS_TIMED;
}

/* Writes a record of omptape's own at the start of a fresh chunk, where it always fits. */
static void put_gap(struct omptape_slot *slot, enum omptape_kind kind, uint64_t begin, uint64_t p0,
                    uint64_t p1)
{
    enum { WORDS = OMPTAPE_RECORD_HEADER_WORDS + 2 };
    uint64_t *place = slot->cursor;
    place[0] = begin;
    place[1] = omptape_record_header(kind, WORDS, 0, 0);
    place[2] = p0;
    place[3] = p1;
    omptape_slot_advance(slot, place, WORDS);
}

static bool is_dropping(const struct omptape_slot *slot)
{
    return atomic_load_explicit(&slot->shared->dropped_since, memory_order_relaxed) != 0;
}

/* The slot is held, so no other code counts: atomic read-modify-writes are not needed. */
void omptape_refill_count_dropped(struct omptape_slot *slot, uint64_t events)
{
    struct omptape_shared_slot *shared = slot->shared;
    if (!is_dropping(slot))
        atomic_store_explicit(&shared->dropped_since, omptape_clock_now(), memory_order_relaxed);
    slot->dropped += events;
    uint64_t total = atomic_load_explicit(&shared->dropped_total, memory_order_relaxed);
    atomic_store_explicit(&shared->dropped_total, total + events, memory_order_relaxed);
    /* A record that still fits would come before the gap. */
    slot->limit = slot->cursor;
}

uint64_t *omptape_refill(struct omptape_shm *shm, struct omptape_slot *slot, enum omptape_kind kind)
{
    uint64_t stalled_since = 0;
    uint32_t number = OMPTAPE_NO_CHUNK;
    if (shm != NULL)
        number = omptape_pool_alloc_chunk(shm);
    if (shm != NULL && number == OMPTAPE_NO_CHUNK && !slot->wait_failed &&
        shm->policy != OMPTAPE_POLICY_DROP) {
        stalled_since = omptape_clock_now();
        number = omptape_refill_wait(shm);
        slot->wait_failed = number == OMPTAPE_NO_CHUNK;
    }
    if (number == OMPTAPE_NO_CHUNK) {
        /* After the program's end nothing is recorded, and nothing counts as dropped. */
        if (shm == NULL || atomic_load(&shm->program_state) != OMPTAPE_PROGRAM_RUNNING)
            return NULL;
        /* The writer is woken, so that dropping ends soon. */
        if (!is_dropping(slot))
            omptape_writer_monitor_wake(shm, true);
        omptape_refill_count_dropped(slot, kind < OMPTAPE_FIRST_OWN);
        return NULL;
    }
    omptape_refill_use(shm, slot, number);
    if (atomic_load_explicit(&slot->shared->chunks_taken, memory_order_relaxed) % CHUNKS_PER_WAKE == 0)
        omptape_writer_monitor_wake(shm, false);
    if (is_dropping(slot)) {
        put_gap(slot, OMPTAPE_DROPPED,
                atomic_load_explicit(&slot->shared->dropped_since, memory_order_relaxed), slot->dropped,
                omptape_clock_now());
        slot->dropped = 0;
        /* Cleared after the record: a reader that sees it cleared also sees the record. */
        atomic_store_explicit(&slot->shared->dropped_since, 0, memory_order_release);
    } else if (stalled_since != 0) {
        put_gap(slot, OMPTAPE_STALL, stalled_since, omptape_clock_now(), 0);
    }
    return slot->cursor;
}
