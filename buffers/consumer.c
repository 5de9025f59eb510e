/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the chunks of each thread in the order in which the thread filled them, and returns them to the pool.
 * Called by the writer's translating thread.
 */
#include "buffers/consumer.h"

#include "buffers/futex.h"
#include "buffers/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* One waiting thread is woken for this many returned chunks, because a thread may fill a chunk faster than a
 * wake-up takes. If all were woken, they would take all processors, including the writer's, use up the chunks
 * and wait again. */
enum { CHUNKS_PER_WAKE = 4 };
/* At least this many chunks have their pages before they are needed. */
enum { MIN_CHUNKS_AHEAD = 64 };

int omptape_consumer_open(struct omptape_consumer *consumer, int fd, const struct omptape_layout *layout)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    if ((uint64_t)st.st_size != layout->bytes)
        return -EPROTO;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    consumer->layout = *layout;
    consumer->shm = map;
    consumer->mapped_bytes = (size_t)st.st_size;
    consumer->chunks_returned = 0;
    consumer->chunks_at_wake = 0;
    consumer->chunks_at_wake_all = 0;
    consumer->chunks_populated = 0;
    consumer->final = false;
    consumer->stream_count = 0;
    consumer->streams = calloc(OMPTAPE_MAX_SLOTS, sizeof(*consumer->streams));
    if (consumer->streams == NULL) {
        munmap(map, (size_t)st.st_size);
        return -ENOMEM;
    }
    return 0;
}

void omptape_consumer_close(struct omptape_consumer *consumer)
{
    free(consumer->streams);
    munmap(consumer->shm, consumer->mapped_bytes);
}

static struct omptape_chunk *chunk_address(const struct omptape_consumer *consumer, uint32_t number)
{
    return (struct omptape_chunk *)((char *)consumer->shm + consumer->layout.chunks_offset +
                                    (uint64_t)(number - 1) * OMPTAPE_CHUNK_BYTES);
}

/* Returns the chunk of this number, or NULL if it does not belong to the slot. */
static struct omptape_chunk *chunk_at(const struct omptape_consumer *consumer, uint32_t number, uint32_t slot)
{
    if (number == OMPTAPE_NO_CHUNK || number > consumer->layout.chunk_count)
        return NULL;
    struct omptape_chunk *chunk = chunk_address(consumer, number);
    return chunk->slot == slot ? chunk : NULL;
}

void omptape_consumer_refresh(struct omptape_consumer *consumer)
{
    uint32_t slots = atomic_load_explicit(&consumer->shm->fresh_slots, memory_order_acquire);
    if (slots > OMPTAPE_MAX_SLOTS)
        slots = OMPTAPE_MAX_SLOTS;
    consumer->stream_count = slots;
    for (uint32_t i = 0; i < slots; i++) {
        struct omptape_stream *stream = &consumer->streams[i];
        if (stream->active)
            continue;
        struct omptape_shared_slot *slot = omptape_shm_slot(consumer->shm, i);
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == OMPTAPE_SLOT_FREE)
            continue;
        struct omptape_chunk *chunk =
            chunk_at(consumer, atomic_load_explicit(&slot->first_chunk, memory_order_acquire), i);
        if (chunk == NULL)
            continue;
        *stream = (struct omptape_stream){.slot = i, .active = true, .chunk = chunk};
    }
}

uint32_t omptape_consumer_number(const struct omptape_consumer *consumer, const struct omptape_chunk *chunk)
{
    uint64_t offset = (uint64_t)((const char *)chunk - (const char *)consumer->shm);
    return (uint32_t)((offset - consumer->layout.chunks_offset) / OMPTAPE_CHUNK_BYTES) + 1;
}

static void wake_waiting(struct omptape_consumer *consumer, void (*wake)(_Atomic uint32_t *word))
{
    struct omptape_shm *shm = consumer->shm;
    consumer->chunks_at_wake = consumer->chunks_returned;
    if (atomic_load(&shm->chunk_waiters) == 0)
        return;
    atomic_fetch_add(&shm->freed, 1);
    wake(&shm->freed);
}

static void return_chunk(struct omptape_consumer *consumer, struct omptape_chunk *chunk)
{
    struct omptape_shm *shm = consumer->shm;
    /* A link that leads back to this chunk ends here. */
    atomic_store_explicit(&chunk->committed, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->held, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->next, OMPTAPE_NO_CHUNK, memory_order_relaxed);
    omptape_pool_free_chunk(shm, omptape_consumer_number(consumer, chunk));
    consumer->chunks_returned++;
    if (consumer->chunks_returned - consumer->chunks_at_wake >= CHUNKS_PER_WAKE)
        wake_waiting(consumer, omptape_futex_wake_one);
}

void omptape_consumer_wake_waiting(struct omptape_consumer *consumer)
{
    if (consumer->chunks_returned == consumer->chunks_at_wake_all)
        return;
    consumer->chunks_at_wake_all = consumer->chunks_returned;
    wake_waiting(consumer, omptape_futex_wake);
}

void omptape_consumer_limit_pool(struct omptape_consumer *consumer, uint64_t bytes)
{
    enum { LEAST_BYTES = 1 << 20 };
    const uint64_t chunks = (bytes > LEAST_BYTES ? bytes : LEAST_BYTES) / OMPTAPE_CHUNK_BYTES;
    if (chunks >= consumer->layout.chunk_limit)
        return;
    consumer->layout.chunk_limit = (uint32_t)chunks;
    atomic_store(&consumer->shm->chunk_limit, (uint32_t)chunks);
}

void omptape_consumer_populate_chunks(struct omptape_consumer *consumer)
{
    uint32_t used = atomic_load_explicit(&consumer->shm->fresh_chunks, memory_order_relaxed);
    uint32_t last = used + MIN_CHUNKS_AHEAD + used / 2;
    if (last > consumer->layout.chunk_limit)
        last = consumer->layout.chunk_limit;
    if (consumer->chunks_populated < used)
        consumer->chunks_populated = used < last ? used : last;
    while (consumer->chunks_populated < last &&
           omptape_pool_populate(chunk_address(consumer, consumer->chunks_populated + 1),
                                 OMPTAPE_CHUNK_BYTES) == 0)
        consumer->chunks_populated++;
}

/* Limits `end` to the chunk and rounds it down to whole words. */
static uint32_t bytes_within(uint32_t end)
{
    const uint32_t capacity = OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES;
    return end < capacity ? end / 8 * 8 : capacity;
}

uint32_t omptape_consumer_held(const struct omptape_chunk *chunk)
{
    return bytes_within(atomic_load_explicit(&chunk->held, memory_order_acquire));
}

uint32_t omptape_consumer_chunk_state(const struct omptape_consumer *consumer, uint32_t slot,
                                      const struct omptape_chunk *chunk, struct omptape_chunk **follower)
{
    /* `next` is read first: once it is set, the other fields are final. */
    *follower = chunk_at(consumer, atomic_load_explicit(&chunk->next, memory_order_acquire), slot);
    uint32_t committed = bytes_within(atomic_load_explicit(&chunk->committed, memory_order_acquire));
    uint32_t held = *follower != NULL || consumer->final ? omptape_consumer_held(chunk) : 0;
    return held > committed ? held : committed;
}

static void copy_head(const struct omptape_lookahead *ahead, uint32_t words, union omptape_record_head *head)
{
    const unsigned char *from = ahead->chunk->records + ahead->offset;
    *head = (union omptape_record_head){.words = {0}};
    memcpy(head, from, (words < OMPTAPE_HEAD_WORDS ? words : OMPTAPE_HEAD_WORDS) * sizeof(head->words[0]));
    head->record.words = (uint8_t)words;
}

bool omptape_consumer_lookahead_next(const struct omptape_consumer *consumer, struct omptape_lookahead *ahead,
                                     union omptape_record_head *head)
{
    for (;;) {
        if (ahead->offset < ahead->committed) {
            const uint32_t words = omptape_consumer_words_at(ahead->chunk, ahead->offset, ahead->committed);
            if (words != 0)
                copy_head(ahead, words, head);
            ahead->offset = words != 0 ? ahead->offset + words * 8 : ahead->committed;
            return words != 0;
        }
        struct omptape_chunk *follower;
        ahead->committed = omptape_consumer_chunk_state(consumer, ahead->slot, ahead->chunk, &follower);
        if (ahead->offset < ahead->committed)
            continue;
        /* Threads never link an empty chunk. A circle of empty chunks would cause an endless loop. */
        if (follower == NULL || ahead->committed == 0)
            return false;
        *ahead = (struct omptape_lookahead){.slot = ahead->slot, .chunk = follower};
    }
}

/* True if the current chunk or its followers have more. Chunks read to their end return to the pool. */
static bool advance_to_data(struct omptape_consumer *consumer, struct omptape_stream *stream)
{
    for (;;) {
        struct omptape_chunk *follower;
        stream->committed = omptape_consumer_chunk_state(consumer, stream->slot, stream->chunk, &follower);
        if (stream->offset < stream->committed)
            return true;
        if (follower == NULL)
            return false;
        struct omptape_chunk *done = stream->chunk;
        stream->chunk = follower;
        stream->offset = 0;
        stream->committed = 0;
        return_chunk(consumer, done);
    }
}

const struct omptape_record *omptape_consumer_peek_slow(struct omptape_consumer *consumer,
                                                        struct omptape_stream *stream)
{
    while (stream->offset < stream->committed || advance_to_data(consumer, stream)) {
        const struct omptape_record *record =
            omptape_consumer_record_at(stream->chunk, stream->offset, stream->committed);
        if (record != NULL)
            return record;
        /* The program has overwritten its buffer. The rest of the chunk so far cannot be parsed. */
        stream->offset = stream->committed;
    }
    return NULL;
}

bool omptape_consumer_is_dropping(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream)
{
    const struct omptape_shared_slot *slot = omptape_shm_slot(consumer->shm, stream->slot);
    return atomic_load_explicit(&slot->dropped_since, memory_order_acquire) != 0;
}

uint64_t omptape_consumer_dropped(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream)
{
    const struct omptape_shared_slot *slot = omptape_shm_slot(consumer->shm, stream->slot);
    return atomic_load_explicit(&slot->dropped_total, memory_order_relaxed);
}

uint64_t omptape_consumer_chunks_in_use(const struct omptape_consumer *consumer)
{
    uint64_t taken = 0;
    uint32_t slots = atomic_load_explicit(&consumer->shm->fresh_slots, memory_order_acquire);
    for (uint32_t i = 0; i < slots && i < OMPTAPE_MAX_SLOTS; i++)
        taken +=
            atomic_load_explicit(&omptape_shm_slot(consumer->shm, i)->chunks_taken, memory_order_relaxed);
    return taken > consumer->chunks_returned ? taken - consumer->chunks_returned : 0;
}

static struct omptape_timing timing_of(uint64_t times)
{
    return (struct omptape_timing){.ticks = times >> OMPTAPE_TIMING_COUNT_BITS,
                                   .count = times & ((UINT64_C(1) << OMPTAPE_TIMING_COUNT_BITS) - 1)};
}

struct omptape_timings omptape_consumer_timings(const struct omptape_consumer *consumer)
{
    struct omptape_timings sum = {0};
    uint32_t slots = atomic_load_explicit(&consumer->shm->fresh_slots, memory_order_acquire);
    for (uint32_t i = 0; i < slots && i < OMPTAPE_MAX_SLOTS; i++) {
        const struct omptape_shared_slot *slot = omptape_shm_slot(consumer->shm, i);
        const struct omptape_timing records =
            timing_of(atomic_load_explicit(&slot->record_times, memory_order_relaxed));
        const struct omptape_timing chunks =
            timing_of(atomic_load_explicit(&slot->chunk_times, memory_order_relaxed));
        sum.records.ticks += records.ticks;
        sum.records.count += records.count;
        sum.chunks.ticks += chunks.ticks;
        sum.chunks.count += chunks.count;
    }
    return sum;
}

bool omptape_consumer_finish(struct omptape_consumer *consumer, struct omptape_stream *stream,
                             uint64_t *dropped)
{
    struct omptape_shared_slot *slot = omptape_shm_slot(consumer->shm, stream->slot);
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != OMPTAPE_SLOT_ENDED)
        return false;
    if (advance_to_data(consumer, stream))
        return false;
    stream->active = false;
    *dropped = atomic_exchange_explicit(&slot->dropped_total, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->first_chunk, OMPTAPE_NO_CHUNK, memory_order_relaxed);
    atomic_store_explicit(&slot->state, OMPTAPE_SLOT_FREE, memory_order_release);
    return_chunk(consumer, stream->chunk);
    omptape_pool_free_slot(consumer->shm, stream->slot);
    return true;
}
