/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The consumer side: reads the threads' streams of records in the writer process, by its one translating
 * thread. A stream is one use of a slot by one thread, from its THREAD_BEGIN to its last record. Nothing here
 * trusts the traced program: whatever it scribbled into the shared memory, reading stays within the mapping.
 */
#ifndef OMPTAPE_BUFFERS_CONSUMER_H
#define OMPTAPE_BUFFERS_CONSUMER_H

#include "buffers/layout.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

struct omptape_stream {
    uint32_t slot;
    bool active;
    struct omptape_chunk *chunk;
    uint32_t offset;    /* bytes of the chunk's records that were read */
    uint32_t committed; /* as last seen */
};

struct omptape_consumer {
    struct omptape_shm *shm;
    struct omptape_layout layout; /* as it was when the session was opened */
    size_t mapped_bytes;
    struct omptape_stream *streams; /* by slot */
    uint32_t stream_count;
    uint64_t chunks_given;    /* back to the pool */
    uint64_t chunks_told;     /* those of them that a waiting thread was woken for, */
    uint64_t chunks_told_all; /* or all of them were */
    uint32_t chunks_made;     /* the chunks up to this number have their pages */
    bool final; /* no thread makes another record: what it holds back is to be read. Set by the reader */
};

/* Maps the session in `fd` (which stays the caller's). 0; -EPROTO: it has not the size of that layout; other
 * negative errno. */
int omptape_consumer_open(struct omptape_consumer *consumer, int fd, const struct omptape_layout *layout);
void omptape_consumer_close(struct omptape_consumer *consumer);

/* A copy in private memory of all that was committed and not yet read, to be read by this process or a child.
 * The session goes on meanwhile, but nothing of it must be read. 0 or -ENOMEM. */
int omptape_consumer_copy(struct omptape_consumer *consumer, struct omptape_consumer *copy);

/* The chunk's number, from its place. */
uint32_t omptape_consumer_number(const struct omptape_consumer *consumer, const struct omptape_chunk *chunk);

/* Bytes that may be read of a chunk of that slot, and its follower, NULL while it is its thread's current
 * one: then without a record that is held back (buffers/held.h), unless all is final. */
uint32_t omptape_consumer_chunk_state(const struct omptape_consumer *consumer, uint32_t slot,
                                      const struct omptape_chunk *chunk, struct omptape_chunk **follower);

/* Where the chunk's record that is held back ends; 0: there was none. */
uint32_t omptape_consumer_held(const struct omptape_chunk *chunk);

/* Finds the streams that began since the last call. Everything committed before this call can be read after
 * it. */
void omptape_consumer_refresh(struct omptape_consumer *consumer);

/* How many words the record at this place of the chunk has; 0: none is there as a whole. The program may be
 * writing to it: whoever needs its length again takes it from here, or from a copy. */
static inline uint32_t omptape_consumer_words_at(const struct omptape_chunk *chunk, uint32_t offset,
                                                 uint32_t committed)
{
    if (committed - offset < OMPTAPE_RECORD_HEADER_WORDS * 8)
        return 0;
    const volatile struct omptape_record *record = (const volatile void *)(chunk->records + offset);
    const uint32_t words = record->words;
    return words < OMPTAPE_RECORD_HEADER_WORDS || words * 8 > committed - offset ? 0 : words;
}

/* A whole record at this place of the chunk, or NULL. */
static inline const struct omptape_record *omptape_consumer_record_at(const struct omptape_chunk *chunk,
                                                                      uint32_t offset, uint32_t committed)
{
    return omptape_consumer_words_at(chunk, offset, committed) != 0 ? (const void *)(chunk->records + offset)
                                                                    : NULL;
}

/* Peek where more has to be looked for, or what is there is damaged. */
const struct omptape_record *omptape_consumer_peek_further(struct omptape_consumer *consumer,
                                                           struct omptape_stream *stream);

/* The stream's next record, or NULL if there is none yet. Passes over what is left of a damaged chunk. Gives
 * chunks read to their end back to the pool. The record stays valid until the stream's next peek after an
 * advance. */
static inline const struct omptape_record *omptape_consumer_peek(struct omptape_consumer *consumer,
                                                                 struct omptape_stream *stream)
{
    const struct omptape_record *record =
        stream->offset < stream->committed
            ? omptape_consumer_record_at(stream->chunk, stream->offset, stream->committed)
            : NULL;
    return record != NULL ? record : omptape_consumer_peek_further(consumer, stream);
}

static inline void omptape_consumer_advance(struct omptape_stream *stream,
                                            const struct omptape_record *record)
{
    stream->offset += (uint32_t)record->words * 8;
}

/* A look at what comes after the stream's next record, without reading it. */
struct omptape_ahead {
    uint32_t slot;
    uint32_t offset;
    uint32_t committed; /* of the chunk, as last seen */
    struct omptape_chunk *chunk;
};
static inline struct omptape_ahead omptape_consumer_ahead(const struct omptape_stream *stream)
{
    return (struct omptape_ahead){.slot = stream->slot,
                                  .offset = stream->offset,
                                  .committed = stream->committed,
                                  .chunk = stream->chunk};
}

/* How a record begins, in a copy that the program cannot change. Of a shorter record the rest is 0. */
enum { OMPTAPE_HEAD_WORDS = 4 };
union omptape_record_head {
    struct omptape_record record;
    uint64_t words[OMPTAPE_HEAD_WORDS];
};

/* Copies how the next record in this look begins; false when there is no more yet. */
bool omptape_consumer_look(const struct omptape_consumer *consumer, struct omptape_ahead *ahead,
                           union omptape_record_head *head);

/* True if the stream's thread has ended and all of it was read; the slot is then given back and the stream is
 * inactive. To be called after a peek that gave NULL. *dropped: how many events the thread dropped in all. */
bool omptape_consumer_finish(struct omptape_consumer *consumer, struct omptape_stream *stream,
                             uint64_t *dropped);

/* Wakes the threads that wait for a chunk, if any came back since the last time. To be called at the end of
 * each round of reading; within one they are woken when it is worth it. */
void omptape_consumer_wake_waiting(struct omptape_consumer *consumer);

/* Makes the pages of chunks that will be needed next, so that the threads need not. */
void omptape_consumer_make_pages(struct omptape_consumer *consumer);

/* True while the stream's thread drops what it should record. */
bool omptape_consumer_is_dropping(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream);

/* How many events the stream's thread has dropped so far. */
uint64_t omptape_consumer_dropped(const struct omptape_consumer *consumer,
                                  const struct omptape_stream *stream);

/* How many chunks the threads hold that were not read to their end. May be off by one for each thread that
 * changes its chunk at this moment. */
uint64_t omptape_consumer_chunks_in_use(const struct omptape_consumer *consumer);

/* Samples of what all threads did: records, from the reading of the clock to the end, and chunks of loops
 * that the runtime handed out. Damaged buffers say anything. */
struct omptape_timing {
    uint64_t ticks;
    uint64_t count;
};
struct omptape_timings {
    struct omptape_timing records;
    struct omptape_timing chunks;
};
struct omptape_timings omptape_consumer_timings(const struct omptape_consumer *consumer);

#endif
