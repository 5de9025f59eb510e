/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The consumer side: the writer's translating thread reads the threads' streams of records. A stream is one
 * use of a slot by one thread, from its THREAD_BEGIN to its last record. The consumer does not trust the
 * traced program: whatever the program writes into the shared memory, reads stay within the mapping.
 */
#pragma once

#include "buffers/layout.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

struct omptape_stream {
    uint32_t slot;
    bool active;
    struct omptape_chunk *chunk;
    uint32_t offset;    /* Bytes of the chunk's records that were read. */
    uint32_t committed; /* As read last from the chunk. */
};

struct omptape_consumer {
    struct omptape_shm *shm;
    struct omptape_layout layout; /* As it was when the session was opened. */
    size_t mapped_bytes;
    struct omptape_stream *streams; /* Indexed by slot. */
    uint32_t stream_count;
    uint64_t chunks_returned; /* Chunks returned to the pool. */
    /* `chunks_returned` at the last wake-up of one or all waiting threads. */
    uint64_t chunks_at_wake;
    uint64_t chunks_at_wake_all; /* `chunks_returned` at the last wake-up of all. */
    uint32_t chunks_populated;   /* The chunks up to this number have their pages. */
    /* True if no thread writes any more, so that held-back records are to be read. Set by the reader. */
    bool final;
};

/* Maps the session in `fd`, which the caller keeps. Returns 0, -EPROTO if its size does not match the layout,
 * or another negative errno. */
int omptape_consumer_open(struct omptape_consumer *consumer, int fd, const struct omptape_layout *layout);
void omptape_consumer_close(struct omptape_consumer *consumer);

/* Copies all records that were committed and not yet read into private memory, for this process or a child.
 * The session continues to record, but must not be read meanwhile. Returns 0 or -ENOMEM. */
int omptape_consumer_copy(struct omptape_consumer *consumer, struct omptape_consumer *copy);

/* Returns the chunk's number. */
uint32_t omptape_consumer_number(const struct omptape_consumer *consumer, const struct omptape_chunk *chunk);

/* Returns how many bytes of a slot's chunk may be read. `*follower` gets the next chunk, or NULL while this
 * one is being filled. A held-back record (buffers/held.h) does not count then, unless `final` is set. */
uint32_t omptape_consumer_chunk_state(const struct omptape_consumer *consumer, uint32_t slot,
                                      const struct omptape_chunk *chunk, struct omptape_chunk **follower);

/* Returns the end of the chunk's held-back record; 0 if there was none. */
uint32_t omptape_consumer_held(const struct omptape_chunk *chunk);

/* Finds the streams that began since the last call. All that was committed before can be read then. */
void omptape_consumer_refresh(struct omptape_consumer *consumer);

/* Returns the length in words of the record at this offset, or 0 if there is no whole record. The program may
 * change the record at any time, so the caller must use this value or a copy's. */
static inline uint32_t omptape_consumer_words_at(const struct omptape_chunk *chunk, uint32_t offset,
                                                 uint32_t committed)
{
    if (committed - offset < OMPTAPE_RECORD_HEADER_WORDS * 8)
        return 0;
    const volatile struct omptape_record *record = (const volatile void *)(chunk->records + offset);
    const uint32_t words = record->words;
    return words < OMPTAPE_RECORD_HEADER_WORDS || words * 8 > committed - offset ? 0 : words;
}

/* Returns the whole record at this offset, or NULL. */
static inline const struct omptape_record *omptape_consumer_record_at(const struct omptape_chunk *chunk,
                                                                      uint32_t offset, uint32_t committed)
{
    return omptape_consumer_words_at(chunk, offset, committed) != 0 ? (const void *)(chunk->records + offset)
                                                                    : NULL;
}

/* Continues omptape_consumer_peek() in the next chunk, or behind damaged records. */
const struct omptape_record *omptape_consumer_peek_slow(struct omptape_consumer *consumer,
                                                        struct omptape_stream *stream);

/* Returns the stream's next record, or NULL if there is none yet. Skips the rest of a damaged chunk. Returns
 * chunks read to their end to the pool. The record is valid until the stream's next peek after an advance. */
static inline const struct omptape_record *omptape_consumer_peek(struct omptape_consumer *consumer,
                                                                 struct omptape_stream *stream)
{
    const struct omptape_record *record =
        stream->offset < stream->committed
            ? omptape_consumer_record_at(stream->chunk, stream->offset, stream->committed)
            : NULL;
    return record != NULL ? record : omptape_consumer_peek_slow(consumer, stream);
}

static inline void omptape_consumer_advance(struct omptape_stream *stream,
                                            const struct omptape_record *record)
{
    stream->offset += (uint32_t)record->words * 8;
}

/* A position for looking ahead in a stream without consuming records. */
struct omptape_lookahead {
    uint32_t slot;
    uint32_t offset;
    uint32_t committed; /* The chunk's `committed`, as read last. */
    struct omptape_chunk *chunk;
};
static inline struct omptape_lookahead omptape_consumer_lookahead(const struct omptape_stream *stream)
{
    return (struct omptape_lookahead){.slot = stream->slot,
                                      .offset = stream->offset,
                                      .committed = stream->committed,
                                      .chunk = stream->chunk};
}

/* The first words of a record, which the program cannot change. Missing words of a shorter record are 0. */
enum { OMPTAPE_HEAD_WORDS = 4 };
union omptape_record_head {
    struct omptape_record record;
    uint64_t words[OMPTAPE_HEAD_WORDS];
};

/* Copies the head of the next record at the position and advances it. Returns false if there is none yet. */
bool omptape_consumer_lookahead_next(const struct omptape_consumer *consumer, struct omptape_lookahead *ahead,
                                     union omptape_record_head *head);

/* Returns true if the stream's thread has ended and all of its records were read. The slot is then released
 * and the stream inactive. `*dropped` receives the thread's count of dropped events. Call it after a peek
 * that returned NULL. */
bool omptape_consumer_finish(struct omptape_consumer *consumer, struct omptape_stream *stream,
                             uint64_t *dropped);

/* Wakes all threads that wait for a chunk, if any was returned since the last call. Called at the end of each
 * round of reading; during a round single threads are woken. */
void omptape_consumer_wake_waiting(struct omptape_consumer *consumer);

/* Reduces the pool to at most `bytes`, but not below the least --buffer-size. */
void omptape_consumer_limit_pool(struct omptape_consumer *consumer, uint64_t bytes);

/* Allocates the pages of the chunks that are needed next, so that the threads need not do this. */
void omptape_consumer_populate_chunks(struct omptape_consumer *consumer);

/* Returns true while the stream's thread drops events. */
bool omptape_consumer_is_dropping(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream);

/* Returns how many events the stream's thread has dropped so far. */
uint64_t omptape_consumer_dropped(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream);

/* Returns how many chunks are in use and not read to their end. May be off by one for each thread that
 * changes its chunk at this moment. */
uint64_t omptape_consumer_chunks_in_use(const struct omptape_consumer *consumer);

/* Sums of sampled durations over all threads. `records` covers a record from reading the clock to its end,
 * `chunks` taking a loop's next chunk. The values are arbitrary if buffers are damaged. */
struct omptape_timing {
    uint64_t ticks;
    uint64_t count;
};
struct omptape_timings {
    struct omptape_timing records;
    struct omptape_timing chunks;
};
struct omptape_timings omptape_consumer_timings(const struct omptape_consumer *consumer);
