/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the unread records of a session into private memory while its threads continue to record. Called by
 * the writer's translating thread for a snapshot.
 */
#include "buffers/consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct omptape_chunk *counterpart_of(const struct omptape_consumer *consumer,
                                            const struct omptape_consumer *copy,
                                            const struct omptape_chunk *chunk)
{
    size_t offset = (size_t)((const char *)chunk - (const char *)consumer->shm);
    return (struct omptape_chunk *)((char *)copy->shm + offset);
}

/* Copies the held-back record behind `committed`, which its thread may update meanwhile. Returns its end. */
static uint32_t copy_held(struct omptape_chunk *own, const struct omptape_chunk *chunk, uint32_t committed)
{
    const uint32_t held = omptape_consumer_held(chunk);
    for (uint32_t at = committed; at < held; at += (uint32_t)sizeof(uint64_t)) {
        const uint64_t *from = (const uint64_t *)(const void *)(chunk->records + at);
        *(uint64_t *)(void *)(own->records + at) = __atomic_load_n(from, __ATOMIC_RELAXED);
    }
    return held > committed ? held : committed;
}

/* Copies committed and held-back records of a chunk. Returns its follower, or NULL if there is none yet. */
static const struct omptape_chunk *copy_chunk(const struct omptape_consumer *consumer,
                                              const struct omptape_consumer *copy, uint32_t slot,
                                              const struct omptape_chunk *chunk)
{
    struct omptape_chunk *follower;
    uint32_t committed = omptape_consumer_chunk_state(consumer, slot, chunk, &follower);
    struct omptape_chunk *own = counterpart_of(consumer, copy, chunk);
    own->slot = slot;
    memcpy(own->records, chunk->records, committed);
    if (follower == NULL)
        committed = copy_held(own, chunk, committed);
    atomic_store_explicit(&own->committed, committed, memory_order_relaxed);
    atomic_store_explicit(&own->next,
                          follower != NULL ? omptape_consumer_number(consumer, follower) : OMPTAPE_NO_CHUNK,
                          memory_order_relaxed);
    return follower;
}

static void copy_stream(const struct omptape_consumer *consumer, const struct omptape_consumer *copy,
                        uint32_t index)
{
    const struct omptape_chunk *chunk = consumer->streams[index].chunk;
    /* A program that damages its buffers can link chunks in a circle. */
    for (uint32_t i = 0; chunk != NULL && i < consumer->layout.chunk_count; i++)
        chunk = copy_chunk(consumer, copy, index, chunk);
    copy->streams[index].chunk = counterpart_of(consumer, copy, consumer->streams[index].chunk);
    copy->streams[index].committed = 0;
}

/* Copies the fields that a reader uses, each atomically, because the threads change them meanwhile. */
static void copy_slot(const struct omptape_shared_slot *from, struct omptape_shared_slot *to)
{
#define COPY(field, order)                                                                                   \
    atomic_store_explicit(&to->field, atomic_load_explicit(&from->field, order), memory_order_relaxed)
    COPY(state, memory_order_acquire);
    COPY(first_chunk, memory_order_acquire);
    COPY(dropped_total, memory_order_relaxed);
    COPY(dropped_since, memory_order_acquire);
    COPY(chunks_taken, memory_order_relaxed);
    COPY(record_times, memory_order_relaxed);
    COPY(chunk_times, memory_order_relaxed);
#undef COPY
}

static void copy_header(const struct omptape_consumer *consumer, struct omptape_shm *to)
{
    const struct omptape_shm *from = consumer->shm;
    uint32_t info = atomic_load_explicit(&from->info_bytes, memory_order_acquire);
    atomic_store(&to->fresh_slots, consumer->stream_count);
    atomic_store(&to->program_state, atomic_load(&from->program_state));
    atomic_store(&to->dropped_records, atomic_load(&from->dropped_records));
    if (info > sizeof(to->info))
        info = sizeof(to->info);
    memcpy(to->info, from->info, info);
    atomic_store(&to->info_bytes, info);
}

int omptape_consumer_copy(struct omptape_consumer *consumer, struct omptape_consumer *copy)
{
    omptape_consumer_refresh(consumer);
    *copy = *consumer;
    copy->streams = calloc(OMPTAPE_MAX_SLOTS, sizeof(*copy->streams));
    if (copy->streams == NULL)
        return -ENOMEM;
    copy->shm = mmap(NULL, consumer->mapped_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy->shm == MAP_FAILED) {
        free(copy->streams);
        return -ENOMEM;
    }
    memcpy(copy->streams, consumer->streams, consumer->stream_count * sizeof(*copy->streams));
    copy_header(consumer, copy->shm);
    for (uint32_t i = 0; i < consumer->stream_count; i++) {
        if (!consumer->streams[i].active)
            continue;
        copy_slot(omptape_shm_slot(consumer->shm, i), omptape_shm_slot(copy->shm, i));
        copy_stream(consumer, copy, i);
    }
    return 0;
}
