/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks the chunks of each thread in the order in which the thread filled them, and gives them back to the
 * pool. Called by the writer's translating thread.
 */
#include "buffers/consumer.h"

#include "buffers/futex.h"
#include "buffers/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

static bool layout_is_sane(const struct omptape_shm *shm, uint64_t bytes)
{
    if (shm->magic != OMPTAPE_SHM_MAGIC || shm->version != OMPTAPE_SHM_VERSION || shm->bytes > bytes)
        return false;
    uint64_t slots_end = shm->slots_offset + (uint64_t)OMPTAPE_MAX_SLOTS * sizeof(struct omptape_slot);
    uint64_t links_end = shm->links_offset + ((uint64_t)shm->chunk_count + 1) * sizeof(uint32_t);
    uint64_t chunks_end = shm->chunks_offset + (uint64_t)shm->chunk_count * OMPTAPE_CHUNK_BYTES;
    return shm->slots_offset >= sizeof(*shm) && slots_end <= shm->links_offset &&
           links_end <= shm->chunks_offset && chunks_end <= shm->bytes;
}

int omptape_consumer_open(struct omptape_consumer *consumer, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    if (st.st_size < (off_t)sizeof(struct omptape_shm))
        return -EPROTO;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    if (!layout_is_sane(map, (uint64_t)st.st_size)) {
        munmap(map, (size_t)st.st_size);
        return -EPROTO;
    }
    consumer->shm = map;
    consumer->mapped_bytes = (size_t)st.st_size;
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

static struct omptape_chunk *chunk_at(const struct omptape_consumer *consumer, uint32_t number)
{
    if (number == OMPTAPE_NO_CHUNK || number > consumer->shm->chunk_count)
        return NULL;
    return omptape_shm_chunk(consumer->shm, number);
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
        struct omptape_slot *slot = omptape_shm_slot(consumer->shm, i);
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == OMPTAPE_SLOT_FREE)
            continue;
        struct omptape_chunk *chunk =
            chunk_at(consumer, atomic_load_explicit(&slot->first_chunk, memory_order_acquire));
        if (chunk == NULL)
            continue;
        *stream = (struct omptape_stream){.slot = i, .active = true, .chunk = chunk};
    }
}

static void give_back(struct omptape_shm *shm, uint32_t number)
{
    omptape_pool_give(shm, number);
    if (atomic_load(&shm->chunk_waiters) != 0) {
        atomic_fetch_add(&shm->freed, 1);
        omptape_futex_wake(&shm->freed);
    }
}

static uint32_t number_of(const struct omptape_consumer *consumer, const struct omptape_chunk *chunk)
{
    uint64_t offset =
        (uint64_t)((const char *)chunk - (const char *)consumer->shm) - consumer->shm->chunks_offset;
    return (uint32_t)(offset / OMPTAPE_CHUNK_BYTES) + 1;
}

/* Bytes that may be read of a chunk, and its follower, NULL while it is the thread's current one. */
static uint32_t look_at_chunk(const struct omptape_consumer *consumer, struct omptape_chunk *chunk,
                              struct omptape_chunk **follower)
{
    const uint32_t room = OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES;
    /* `next` first: once it is set, `committed` is final. */
    *follower = chunk_at(consumer, atomic_load_explicit(&chunk->next, memory_order_acquire));
    uint32_t committed = atomic_load_explicit(&chunk->committed, memory_order_acquire);
    return committed < room ? committed : room;
}

static const struct omptape_record *record_at(const struct omptape_chunk *chunk, uint32_t offset,
                                              uint32_t committed)
{
    const struct omptape_record *record = (const void *)(chunk->records + offset);
    if (record->words < OMPTAPE_RECORD_HEADER_WORDS || (uint32_t)record->words * 8 > committed - offset)
        return NULL;
    return record;
}

const struct omptape_record *omptape_consumer_look(const struct omptape_consumer *consumer,
                                                   struct omptape_ahead *ahead)
{
    for (;;) {
        struct omptape_chunk *follower;
        uint32_t committed = look_at_chunk(consumer, ahead->chunk, &follower);
        if (ahead->offset < committed) {
            const struct omptape_record *record = record_at(ahead->chunk, ahead->offset, committed);
            ahead->offset = record != NULL ? ahead->offset + (uint32_t)record->words * 8 : committed;
            return record;
        }
        if (follower == NULL)
            return NULL;
        *ahead = (struct omptape_ahead){.chunk = follower};
    }
}

/* More to read in the current chunk or in its follower? */
static bool advance_to_data(struct omptape_consumer *consumer, struct omptape_stream *stream)
{
    for (;;) {
        struct omptape_chunk *follower;
        stream->committed = look_at_chunk(consumer, stream->chunk, &follower);
        if (stream->offset < stream->committed)
            return true;
        if (follower == NULL)
            return false;
        uint32_t done = number_of(consumer, stream->chunk);
        stream->chunk = follower;
        stream->offset = 0;
        stream->committed = 0;
        give_back(consumer->shm, done);
    }
}

const struct omptape_record *omptape_consumer_peek(struct omptape_consumer *consumer,
                                                   struct omptape_stream *stream)
{
    if (stream->offset >= stream->committed && !advance_to_data(consumer, stream))
        return NULL;
    const struct omptape_record *record = record_at(stream->chunk, stream->offset, stream->committed);
    /* The program overwrote its buffer? Nothing behind this place can be made out any more. */
    if (record == NULL)
        stream->offset = stream->committed;
    return record;
}

void omptape_consumer_advance(struct omptape_stream *stream, const struct omptape_record *record)
{
    stream->offset += (uint32_t)record->words * 8;
}

bool omptape_consumer_finish(struct omptape_consumer *consumer, struct omptape_stream *stream)
{
    struct omptape_slot *slot = omptape_shm_slot(consumer->shm, stream->slot);
    if (atomic_load_explicit(&slot->state, memory_order_acquire) != OMPTAPE_SLOT_ENDED)
        return false;
    if (advance_to_data(consumer, stream))
        return false;
    stream->active = false;
    atomic_store_explicit(&slot->first_chunk, OMPTAPE_NO_CHUNK, memory_order_relaxed);
    atomic_store_explicit(&slot->state, OMPTAPE_SLOT_FREE, memory_order_release);
    give_back(consumer->shm, number_of(consumer, stream->chunk));
    omptape_pool_give_slot(consumer->shm, stream->slot);
    return true;
}
