/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rare paths of the producer side: a thread's first and last record, records unfit for the fast path, and
 * those that signal handlers queued. Called on program threads.
 */
#include "buffers/producer.h"

#include "buffers/cancel.h"
#include "buffers/names.h"
#include "buffers/pool.h"
#include "buffers/refill.h"
#include "buffers/signal_queue.h"
#include "buffers/signal_samples.h"
#include "buffers/writer_monitor.h"
#include "src/core/message.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Longer durations are ignored: the thread has probably lost its processor. */
enum { MAX_TICKS = 4096 };

_Thread_local struct omptape_slot *omptape_producer_slot __attribute__((tls_model("initial-exec")));
struct omptape_shm *_Atomic omptape_producer_shm;
struct omptape_shm *(*omptape_producer_late_start)(enum omptape_kind kind);

/* Memory that the kernel wipes in a forked process. It is never unmapped, threads may use it. */
struct producer_memory {
    _Atomic uint64_t is_ours;
    struct omptape_slot slots[OMPTAPE_MAX_SLOTS];
};
static struct producer_memory *own;

int omptape_producer_prepare(void)
{
    if (own != NULL) {
        atomic_store(&own->is_ours, 1);
        return 0;
    }
    void *map =
        mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return -errno;
    /* A thread needs two cache lines of it, not two megabytes. */
    madvise(map, sizeof(*own), MADV_NOHUGEPAGE);
    madvise(map, sizeof(*own), MADV_WIPEONFORK);
    own = map;
    atomic_store(&own->is_ours, 1);
    return 0;
}

void omptape_producer_open(struct omptape_shm *shm)
{
    atomic_store_explicit(&omptape_producer_shm, shm, memory_order_release);
}

bool omptape_producer_is_own(void)
{
    return own != NULL && atomic_load_explicit(&own->is_ours, memory_order_relaxed) != 0;
}

/* The process was forked without the C library's fork(), which would have called src/tool/fork.c. */
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
    omptape_writer_monitor_reset();
}

void omptape_producer_flush(void)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    if (shm == NULL)
        return;
    atomic_fetch_add(&shm->snapshots_requested, 1);
    omptape_writer_monitor_wake(shm, true);
}

static uint64_t *reserve_words(struct omptape_slot *slot, size_t words, enum omptape_kind kind)
{
    if ((size_t)(slot->limit - slot->cursor) >= words)
        return slot->cursor;
    return omptape_refill(atomic_load_explicit(&omptape_producer_shm, memory_order_acquire), slot, kind);
}

static void release_slot(struct omptape_slot *slot)
{
    omptape_producer_release(slot, omptape_clock_is_counter ? 0 : OMPTAPE_SLOT_SLOW);
}

static void append_queued(struct omptape_slot *slot, const struct omptape_record *record, uint64_t time)
{
    size_t words = record->words;
    uint64_t *place = reserve_words(slot, words, (enum omptape_kind)record->kind);
    if (place == NULL)
        return;
    memcpy(place, record, words * sizeof(place[0]));
    /* The interrupted record may have read the clock after the handler did. */
    if (place[0] < time)
        place[0] = time;
    omptape_slot_advance(slot, place, words);
}

static void append_all_queued(struct omptape_slot *slot, uint64_t time)
{
    while (atomic_load_explicit(&slot->interrupted, memory_order_relaxed) != 0) {
        struct omptape_record *record;
        omptape_producer_acquire(slot);
        atomic_store_explicit(&slot->interrupted, 0, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        while ((record = omptape_signal_queue_first(slot)) != NULL) {
            append_queued(slot, record, time);
            omptape_signal_queue_remove(slot, record);
        }
        uint64_t lost = atomic_exchange_explicit(&slot->lost, 0, memory_order_relaxed);
        if (lost > 0)
            omptape_refill_count_dropped(slot, lost);
        release_slot(slot);
    }
}

static void add_timing(_Atomic uint64_t *times, uint64_t spent)
{
    const uint64_t sum = atomic_load_explicit(times, memory_order_relaxed);
    if (spent <= MAX_TICKS)
        atomic_store_explicit(times, sum + (spent << OMPTAPE_TIMING_COUNT_BITS) + 1, memory_order_relaxed);
}

/* Measures the record that read the clock at `time` and ends now. */
static void time_record(struct omptape_slot *slot, uint64_t time)
{
    uint64_t spent = omptape_clock_now() - time;
    uint16_t left = slot->timed_records;
    /* The records of a signal handler were the last ones to measure. */
    if (left == 0)
        return;
    slot->timed_records = (uint16_t)(left - 1);
    if (left <= OMPTAPE_RECORDS_TIMED)
        add_timing(&slot->shared->record_times, spent);
}

void omptape_producer_time_chunk(struct omptape_slot *slot, uint64_t since)
{
    if (slot == NULL)
        return;
    const uint64_t until = omptape_clock_now_in_order();
    const uint64_t reading = omptape_clock_now_in_order() - until;
    const uint64_t spent = until - since;
    add_timing(&slot->shared->chunk_times, spent > reading ? spent - reading : 0);
}

void omptape_producer_append_queued(struct omptape_slot *slot, uint64_t time)
{
    if (slot->timed_records > 0)
        time_record(slot, time);
    append_all_queued(slot, time);
    if (slot->timed_records > 0)
        atomic_store_explicit(&slot->interrupted, 1, memory_order_relaxed);
}

struct omptape_record *omptape_producer_reserve(struct omptape_slot *slot, size_t words,
                                                enum omptape_kind kind, unsigned a, uint32_t b)
{
    uint64_t header = omptape_record_header(kind, words, a, b);
    if (words > OMPTAPE_RECORD_MAX_WORDS)
        return NULL;
    if (slot->shared == NULL) {
        leave_session_of_parent();
        return NULL;
    }
    uintptr_t holder = atomic_load_explicit(&slot->busy, memory_order_relaxed);
    if (holder > OMPTAPE_SLOT_SLOW && !omptape_signal_queue_is_abandoned(holder))
        return omptape_signal_queue_reserve(slot, header);
    omptape_producer_acquire(slot);
    uint64_t *place = reserve_words(slot, words, kind);
    if (place == NULL) {
        release_slot(slot);
        append_all_queued(slot, omptape_clock_now());
        return NULL;
    }
    omptape_producer_prefetch(place);
    place[0] = omptape_clock_now();
    place[1] = header;
    return (struct omptape_record *)(void *)place;
}

void omptape_producer_commit(struct omptape_slot *slot, const struct omptape_record *record)
{
    uint64_t time = record->time;
    /* Otherwise the record was queued. */
    if ((const void *)record != slot->cursor)
        return;
    omptape_slot_advance(slot, slot->cursor, record->words);
    release_slot(slot);
    omptape_producer_append_queued(slot, time);
}

uint64_t omptape_producer_id(struct omptape_slot *slot)
{
    /* Distinguishes these identities from the fast path's, whose counter is not atomic. */
    const uint64_t other = UINT64_C(1) << (OMPTAPE_ID_SEQUENCE_BITS - 1);
    uint64_t last = atomic_fetch_add_explicit(&slot->other_sequence, 1, memory_order_relaxed);
    return omptape_id(slot->index, other | (last + 1));
}

bool omptape_producer_put_words(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                const uint64_t *payload, size_t count)
{
    if (slot == NULL)
        return false;
    struct omptape_record *record =
        omptape_producer_reserve(slot, OMPTAPE_RECORD_HEADER_WORDS + count, kind, a, b);
    if (record == NULL)
        return false;
    memcpy(record->p, payload, count * sizeof(payload[0]));
    omptape_producer_commit(slot, record);
    return true;
}

void omptape_producer_put_slow(struct omptape_slot *slot, uint64_t header, uint64_t p0, uint64_t p1,
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
    int32_t index = omptape_pool_alloc_slot(shm);
    if (index >= 0) {
        atomic_fetch_add(&shm->live_threads, 1);
        chunk = omptape_pool_alloc_chunk(shm);
        /* A thread without a slot comes here at each event: it must not wait in vain each time. */
        if (chunk == OMPTAPE_NO_CHUNK && shm->policy != OMPTAPE_POLICY_DROP &&
            atomic_load_explicit(&shm->chunks_missing, memory_order_relaxed) == 0)
            chunk = omptape_refill_wait(shm);
    }
    if (chunk == OMPTAPE_NO_CHUNK) {
        if (index >= 0) {
            atomic_fetch_sub(&shm->live_threads, 1);
            omptape_pool_free_slot(shm, (uint32_t)index);
        }
        atomic_fetch_add(&shm->dropped_records, 1);
        omptape_writer_monitor_wake(shm, true);
        return NULL;
    }
    struct omptape_slot *slot = &own->slots[index];
    slot->shared = omptape_shm_slot(shm, (uint32_t)index);
    slot->index = (uint32_t)index;
    slot->chunk = NULL;
    slot->dropped = 0;
    release_slot(slot);
    atomic_store_explicit(&slot->shared->dropped_since, 0, memory_order_relaxed);
    slot->place_recorded = 0;
    slot->delivers = 0;
    slot->last_module = 0;
    slot->mpi_frame = 0;
    slot->repeats = (struct omptape_repeats){0};
    slot->gomp = (struct omptape_slot_task){0};
    slot->is_shared = 0;
    omptape_names_clear(slot);
    slot->timed_records = 0;
    omptape_refill_use(shm, slot, chunk);
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
    const uint32_t before = atomic_fetch_add_explicit(&slot->shared->generation, 1, memory_order_relaxed);
    atomic_store_explicit(&slot->shared->state, OMPTAPE_SLOT_LIVE, memory_order_release);
    omptape_producer_slot = slot;
    /* Wakes the writer, so that it observes the thread at once. Threads that reuse a slot do not wake it: a
     * program may create threads again and again. */
    if (before == 0)
        omptape_writer_monitor_wake(shm, false);
    if (!slot->delivers)
        omptape_signal_samples_begin_thread(slot);
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
    /* The thread delivered device records before the runtime began it. It gets a new stream as such. */
    if (kind == OMPTAPE_THREAD_BEGIN && omptape_producer_slot != NULL && omptape_producer_slot->delivers)
        omptape_producer_end_delivery();
    int saved = errno;
    sigset_t mask;
    omptape_signals_block(&mask);
    /* A late start or a signal handler may just have given this thread a slot. */
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL)
        slot = begin_stream(shm, thread_type);
    omptape_signals_restore(&mask);
    errno = saved;
    return slot;
}

void omptape_producer_detach(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    if (slot == NULL) {
        /* The thread got no slot, so its end is dropped as well. */
        if (shm != NULL && atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING)
            atomic_fetch_add(&shm->dropped_records, 1);
        return;
    }
    omptape_producer_end_records();
    omptape_producer_slot = NULL;
    omptape_signal_samples_end_thread(slot);
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
    append_all_queued(slot, 0);
}

void omptape_producer_end_delivery(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL || !slot->delivers)
        return;
    omptape_put(slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}

size_t omptape_producer_text(uint64_t *payload, size_t capacity, const char *text, size_t length)
{
    size_t bytes = text != NULL ? strnlen(text, length) : 0;
    if (bytes > capacity * 8 - 1)
        bytes = capacity * 8 - 1;
    size_t words = bytes / 8 + 1;
    payload[words - 1] = 0;
    if (bytes > 0)
        memcpy(payload, text, bytes);
    return words;
}
