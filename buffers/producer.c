/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rare paths of the producer side: a thread's first and last record, a chunk change, waiting for a chunk,
 * dropping. Called on program threads.
 */
#include "buffers/producer.h"

#include "buffers/cancel.h"
#include "buffers/futex.h"
#include "buffers/interrupt.h"
#include "buffers/peer.h"
#include "buffers/pool.h"
#include "src/core/message.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t wait_slice_ns = 100000000;
/* A thread wakes the writer once for so many chunks: a wake-up costs as much as a hundred records. */
enum { CHUNKS_A_WAKE_UP = 8, SLOTS_A_WAKE_UP = 32 };
/* What a record costs is measured now and then: of each eighth chunk eight records, after as many in which
 * the way to the measurement becomes warm. A thread that lost its processor meanwhile says nothing. */
enum { CHUNKS_A_TIMING = 8, RECORDS_TIMED = 8, RECORDS_BEFORE = 8, MOST_TICKS = 4096 };

_Thread_local struct omptape_slot *omptape_producer_slot __attribute__((tls_model("initial-exec")));
struct omptape_shm *_Atomic omptape_producer_shm;
struct omptape_shm *(*omptape_producer_late_start)(enum omptape_kind kind);

/* What the kernel wipes in a process that is forked off. Stays mapped for good: threads may be late. */
struct producer_memory {
    _Atomic uint64_t is_ours;
    struct omptape_slot slots[OMPTAPE_MAX_SLOTS];
};
static struct producer_memory *own;

int omptape_producer_prepare(void)
{
    if (own != NULL)
        return 0;
    void *map =
        mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return -errno;
    /* A thread needs two lines of it, not two megabytes. */
    madvise(map, sizeof(*own), MADV_NOHUGEPAGE);
    madvise(map, sizeof(*own), MADV_WIPEONFORK);
    own = map;
    return 0;
}

void omptape_producer_open(struct omptape_shm *shm)
{
    atomic_store(&own->is_ours, 1);
    atomic_store_explicit(&omptape_producer_shm, shm, memory_order_release);
}

bool omptape_producer_is_own(void)
{
    return own != NULL && atomic_load_explicit(&own->is_ours, memory_order_relaxed) != 0;
}

/* Forked without the C library's fork, which would have told us (src/tool/fork.c). */
static void leave_session_of_parent(void)
{
    if (atomic_load_explicit(&omptape_producer_shm, memory_order_relaxed) == NULL)
        return;
    omptape_producer_forget();
    const int cancel = omptape_cancel_hold();
    omptape_message("process %d was forked off by other means than fork(); it is not traced", (int)getpid());
    omptape_cancel_release(cancel);
}

void omptape_producer_forget(void)
{
    atomic_store(&omptape_producer_shm, NULL);
    omptape_producer_slot = NULL;
    omptape_peer_forget();
}

void omptape_producer_flush(void)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    if (shm == NULL)
        return;
    atomic_fetch_add(&shm->snapshots_wanted, 1);
    omptape_peer_wake(shm, true);
}

static uint32_t wait_for_chunk(struct omptape_shm *shm)
{
    uint32_t number;
    atomic_fetch_add(&shm->chunk_waiters, 1);
    for (bool waited = false;; waited = true) {
        uint32_t seen = atomic_load(&shm->freed);
        number = omptape_pool_take(shm);
        if (number != OMPTAPE_NO_CHUNK)
            break;
        if (atomic_load(&shm->program_state) != OMPTAPE_PROGRAM_RUNNING || omptape_peer_is_lost(shm))
            break;
        /* All the chunks there are may be the current ones of threads that live on. */
        if (waited && atomic_load_explicit(&shm->memory_refused, memory_order_relaxed) != 0)
            break;
        omptape_peer_wake(shm, true);
        omptape_futex_wait(&shm->freed, seen, wait_slice_ns);
    }
    atomic_fetch_sub(&shm->chunk_waiters, 1);
    return number;
}

static void use_chunk(struct omptape_shm *shm, struct omptape_slot *slot, uint32_t number)
{
    struct omptape_chunk *chunk = omptape_shm_chunk(shm, number);
    struct omptape_chunk *previous = slot->chunk;
    struct omptape_shared_slot *shared = slot->shared;

    atomic_store_explicit(&chunk->committed, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->next, OMPTAPE_NO_CHUNK, memory_order_relaxed);
    chunk->slot = slot->index;
    chunk->number = number;
    uint64_t taken = atomic_load_explicit(&shared->chunks_taken, memory_order_relaxed);
    atomic_store_explicit(&shared->chunks_taken, taken + 1, memory_order_relaxed);
    slot->gave_up = 0;
    slot->chunk = chunk;
    slot->records = chunk->records;
    slot->cursor = (uint64_t *)(void *)chunk->records;
    slot->limit = (uint64_t *)(void *)((unsigned char *)chunk + OMPTAPE_CHUNK_BYTES);
    if (previous != NULL)
        atomic_store_explicit(&previous->next, number, memory_order_release);
    else
        atomic_store_explicit(&shared->first_chunk, number, memory_order_release);
    if (taken % CHUNKS_A_TIMING == 0)
        slot->to_time = RECORDS_BEFORE + RECORDS_TIMED;
}

/* A record of omptape's own, at the start of a fresh chunk: there is room. */
static void put_gap(struct omptape_slot *slot, enum omptape_kind kind, uint64_t begin, uint64_t p0,
                    uint64_t p1)
{
    enum { WORDS = OMPTAPE_RECORD_HEADER_WORDS + 2 };
    uint64_t *place = slot->cursor;
    place[0] = begin;
    place[1] = omptape_producer_header(kind, WORDS, 0, 0);
    place[2] = p0;
    place[3] = p1;
    omptape_producer_advance(slot, place, WORDS);
}

static bool is_dropping(const struct omptape_slot *slot)
{
    return atomic_load_explicit(&slot->shared->dropped_since, memory_order_relaxed) != 0;
}

/* The slot is held, so that nobody else counts: no read-modify-write is needed. */
static void count_dropped(struct omptape_slot *slot, uint64_t events)
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

/* Makes room in a new chunk, waiting for one as the policy says. NULL: dropped (and counted). */
static uint64_t *next_chunk(struct omptape_slot *slot, enum omptape_kind kind)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    uint64_t stalled_since = 0;
    uint32_t number = OMPTAPE_NO_CHUNK;

    if (shm != NULL)
        number = omptape_pool_take(shm);
    if (shm != NULL && number == OMPTAPE_NO_CHUNK && !slot->gave_up && shm->policy != OMPTAPE_POLICY_DROP) {
        stalled_since = omptape_clock_now();
        number = wait_for_chunk(shm);
        slot->gave_up = number == OMPTAPE_NO_CHUNK;
    }
    if (number == OMPTAPE_NO_CHUNK) {
        /* After the end nothing is recorded, and nothing is lost. */
        if (shm == NULL || atomic_load(&shm->program_state) != OMPTAPE_PROGRAM_RUNNING)
            return NULL;
        /* Who does not wait must not wait for the writer to wake by itself either. */
        if (!is_dropping(slot))
            omptape_peer_wake(shm, true);
        count_dropped(slot, kind < OMPTAPE_FIRST_OWN);
        return NULL;
    }
    use_chunk(shm, slot, number);
    if (atomic_load_explicit(&slot->shared->chunks_taken, memory_order_relaxed) % CHUNKS_A_WAKE_UP == 0)
        omptape_peer_wake(shm, false);
    if (is_dropping(slot)) {
        put_gap(slot, OMPTAPE_DROPPED,
                atomic_load_explicit(&slot->shared->dropped_since, memory_order_relaxed), slot->dropped,
                omptape_clock_now());
        slot->dropped = 0;
        /* After the record: who sees the one misses nothing without the other. */
        atomic_store_explicit(&slot->shared->dropped_since, 0, memory_order_release);
    } else if (stalled_since != 0) {
        put_gap(slot, OMPTAPE_STALL, stalled_since, omptape_clock_now(), 0);
    }
    return slot->cursor;
}

static uint64_t *make_room(struct omptape_slot *slot, size_t words, enum omptape_kind kind)
{
    return (size_t)(slot->limit - slot->cursor) >= words ? slot->cursor : next_chunk(slot, kind);
}

static void release_slot(struct omptape_slot *slot)
{
    omptape_producer_release(slot, omptape_clock_is_counter ? 0 : OMPTAPE_SLOT_SLOW);
}

static void append_from_aside(struct omptape_slot *slot, const struct omptape_record *record, uint64_t time)
{
    size_t words = record->words;
    uint64_t *place = make_room(slot, words, (enum omptape_kind)record->kind);
    if (place == NULL)
        return;
    memcpy(place, record, words * sizeof(place[0]));
    /* The record that the handler interrupted may have read the clock after it. */
    if (place[0] < time)
        place[0] = time;
    omptape_producer_advance(slot, place, words);
}

static void settle_if_interrupted(struct omptape_slot *slot, uint64_t time)
{
    while (atomic_load_explicit(&slot->interrupted, memory_order_relaxed) != 0) {
        struct omptape_record *record;
        omptape_producer_hold(slot);
        atomic_store_explicit(&slot->interrupted, 0, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        while ((record = omptape_interrupt_next(slot)) != NULL) {
            append_from_aside(slot, record, time);
            omptape_interrupt_remove(slot, record);
        }
        uint64_t lost = atomic_exchange_explicit(&slot->lost, 0, memory_order_relaxed);
        if (lost > 0)
            count_dropped(slot, lost);
        release_slot(slot);
    }
}

/* The record that read the clock at `time` ends here. */
static void time_record(struct omptape_slot *slot, uint64_t time)
{
    uint64_t spent = omptape_clock_now() - time;
    uint16_t left = slot->to_time;
    if (left == 0) /* a signal handler's records were the last ones */
        return;
    slot->to_time = (uint16_t)(left - 1);
    if (left > RECORDS_TIMED || spent > MOST_TICKS)
        return;
    uint64_t sampled = atomic_load_explicit(&slot->shared->sampled, memory_order_relaxed);
    atomic_store_explicit(&slot->shared->sampled, sampled + (spent << OMPTAPE_SAMPLED_COUNT_BITS) + 1,
                          memory_order_relaxed);
}

void omptape_producer_settle(struct omptape_slot *slot, uint64_t time)
{
    if (slot->to_time > 0)
        time_record(slot, time);
    settle_if_interrupted(slot, time);
    if (slot->to_time > 0)
        atomic_store_explicit(&slot->interrupted, 1, memory_order_relaxed);
}

struct omptape_record *omptape_producer_reserve(struct omptape_slot *slot, size_t words,
                                                enum omptape_kind kind, unsigned a, uint32_t b)
{
    uint64_t header = omptape_producer_header(kind, words, a, b);
    if (words > OMPTAPE_RECORD_MAX_WORDS)
        return NULL;
    if (slot->shared == NULL) {
        leave_session_of_parent();
        return NULL;
    }
    uintptr_t holder = atomic_load_explicit(&slot->busy, memory_order_relaxed);
    if (holder > OMPTAPE_SLOT_SLOW && !omptape_interrupt_left(holder))
        return omptape_interrupt_reserve(slot, header);
    omptape_producer_hold(slot);
    uint64_t *place = make_room(slot, words, kind);
    if (place == NULL) {
        release_slot(slot);
        settle_if_interrupted(slot, omptape_clock_now());
        return NULL;
    }
    place[0] = omptape_clock_now();
    place[1] = header;
    return (struct omptape_record *)(void *)place;
}

void omptape_producer_commit(struct omptape_slot *slot, const struct omptape_record *record)
{
    uint64_t time = record->time;
    /* Else it was put aside. */
    if ((const void *)record != slot->cursor)
        return;
    omptape_producer_advance(slot, slot->cursor, record->words);
    release_slot(slot);
    omptape_producer_settle(slot, time);
}

uint64_t omptape_producer_id(struct omptape_slot *slot)
{
    /* Apart from those of the short way, which does not count atomically. */
    const uint64_t other = UINT64_C(1) << (OMPTAPE_ID_SEQUENCE_BITS - 1);
    uint64_t last = atomic_fetch_add_explicit(&slot->other_sequence, 1, memory_order_relaxed);
    return omptape_id(slot->index, other | (last + 1));
}

void omptape_producer_put_words(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                const uint64_t *payload, size_t count)
{
    if (slot == NULL)
        return;
    struct omptape_record *record =
        omptape_producer_reserve(slot, OMPTAPE_RECORD_HEADER_WORDS + count, kind, a, b);
    if (record == NULL)
        return;
    memcpy(record->p, payload, count * sizeof(payload[0]));
    omptape_producer_commit(slot, record);
}

void omptape_producer_put_slowly(struct omptape_slot *slot, uint64_t header, uint64_t p0, uint64_t p1,
                                 uint64_t p2)
{
    const uint64_t payload[] = {p0, p1, p2};
    enum omptape_kind kind = (enum omptape_kind)(header & 0xffU);
    size_t words = header >> 8 & 0xffU;
    if (slot == NULL)
        slot = omptape_producer_attach(kind, 0);
    omptape_producer_put_words(slot, kind, header >> 16 & 0xffffU, (uint32_t)(header >> 32), payload,
                               words - OMPTAPE_RECORD_HEADER_WORDS);
}

static struct omptape_slot *new_slot(struct omptape_shm *shm)
{
    uint32_t chunk = OMPTAPE_NO_CHUNK;
    int32_t index = omptape_pool_take_slot(shm);
    if (index >= 0) {
        atomic_fetch_add(&shm->live_threads, 1);
        chunk = omptape_pool_take(shm);
        if (chunk == OMPTAPE_NO_CHUNK && shm->policy != OMPTAPE_POLICY_DROP)
            chunk = wait_for_chunk(shm);
    }
    if (chunk == OMPTAPE_NO_CHUNK) {
        if (index >= 0) {
            atomic_fetch_sub(&shm->live_threads, 1);
            omptape_pool_give_slot(shm, (uint32_t)index);
        }
        atomic_fetch_add(&shm->dropped_records, 1);
        omptape_peer_wake(shm, true);
        return NULL;
    }
    struct omptape_slot *slot = &own->slots[index];
    slot->shared = omptape_shm_slot(shm, (uint32_t)index);
    slot->index = (uint32_t)index;
    slot->chunk = NULL;
    slot->dropped = 0;
    release_slot(slot);
    atomic_store_explicit(&slot->shared->dropped_since, 0, memory_order_relaxed);
    slot->place_known = 0;
    slot->delivers = 0;
    slot->code = 0;
    slot->in_mpi = 0;
    slot->to_time = 0;
    use_chunk(shm, slot, chunk);
    /* Slots of ended threads come back when the writer has read them: as long as it does, none is this high.
     */
    if (index % SLOTS_A_WAKE_UP == SLOTS_A_WAKE_UP - 1)
        omptape_peer_wake(shm, false);
    return slot;
}

static struct omptape_slot *begin_stream(struct omptape_shm *shm, unsigned thread_type)
{
    struct omptape_slot *slot = new_slot(shm);
    if (slot == NULL)
        return NULL;
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    omptape_put(slot, OMPTAPE_THREAD_BEGIN, thread_type, tid);
    slot->delivers = thread_type == OMPTAPE_THREAD_DELIVERS;
    atomic_fetch_add_explicit(&slot->shared->generation, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->shared->state, OMPTAPE_SLOT_LIVE, memory_order_release);
    omptape_producer_slot = slot;
    return slot;
}

struct omptape_slot *omptape_producer_attach(enum omptape_kind kind, unsigned thread_type)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    if (shm != NULL && !omptape_producer_is_own()) {
        leave_session_of_parent();
        shm = NULL;
    }
    if (shm == NULL && omptape_producer_late_start != NULL)
        shm = omptape_producer_late_start(kind);
    if (shm == NULL ||
        atomic_load_explicit(&shm->program_state, memory_order_relaxed) != OMPTAPE_PROGRAM_RUNNING)
        return NULL;
    /* A thread of the runtime that delivered records of devices before it began: its own stream is another.
     */
    if (kind == OMPTAPE_THREAD_BEGIN && omptape_producer_slot != NULL && omptape_producer_slot->delivers)
        omptape_producer_end_delivery();

    int saved = errno;
    sigset_t mask;
    omptape_interrupt_hold_off(&mask);
    /* A late start, or a signal handler just now, may have given this thread its slot. */
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL)
        slot = begin_stream(shm, thread_type);
    omptape_interrupt_let_come(&mask);
    errno = saved;
    return slot;
}

void omptape_producer_detach(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    if (slot == NULL) {
        /* It got none, so that its end is lost as well. */
        if (shm != NULL && atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING)
            atomic_fetch_add(&shm->dropped_records, 1);
        return;
    }
    omptape_producer_end_records();
    omptape_producer_slot = NULL;
    if (slot->shared == NULL)
        return;
    atomic_store_explicit(&slot->shared->state, OMPTAPE_SLOT_ENDED, memory_order_release);
    if (shm != NULL)
        atomic_fetch_sub(&shm->live_threads, 1);
}

void omptape_producer_end_records(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL || slot->shared == NULL)
        return;
    release_slot(slot);
    settle_if_interrupted(slot, 0);
}

void omptape_producer_end_delivery(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL || !slot->delivers)
        return;
    omptape_put(slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}

size_t omptape_producer_text(uint64_t *payload, size_t room, const char *text, size_t length)
{
    size_t bytes = text != NULL ? strnlen(text, length) : 0;
    if (bytes > room * 8 - 1)
        bytes = room * 8 - 1;
    size_t words = bytes / 8 + 1;
    payload[words - 1] = 0;
    if (bytes > 0)
        memcpy(payload, text, bytes);
    return words;
}
