/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A session for unit tests, producers and consumer in one process: the shared memory is mapped twice, as in
 * the real thing. Used by the tests of the buffers and of the writer's core on their main thread, except
 * where said.
 */
#pragma once

#include "buffers/consumer.h"
#include "buffers/producer.h"

struct session {
    struct omptape_shm *shm;          /* the program's mapping, which producers use */
    struct omptape_layout layout;     /* as the writer has it from the settings */
    struct omptape_consumer consumer; /* has its own, between pages that nobody may touch */
    int fd;
    size_t shm_bytes;
    void *reserved; /* the address range around the consumer's mapping */
    size_t reserved_bytes;
};

/* Makes a session with a pool of `chunks` (4 at least) and opens it to this process's producers. Aborts on
 * failure. */
void session_open(struct session *session, uint32_t chunks);
/* The same with one mapping for both sides: the thread sanitizer takes two for different memory. */
void session_open_shared(struct session *session, uint32_t chunks);
/* True while the kernel refuses to map shared memory once more (mremap). */
extern bool session_refuses_segments;
/* Counts these refusals. */
extern unsigned session_refusals;
void session_close(struct session *session);

/* A further thread for the producer, played by the calling one, with its THREAD_BEGIN. NULL: none to be had.
 */
struct omptape_slot *session_new_thread(void);
/* Ends it. */
void session_end_thread(struct omptape_slot *slot);

/* One record with `words` in all, whose payload words are `seed`, `seed` + 1, ... False: it was dropped. Any
 * thread. */
bool session_put(struct omptape_slot *slot, size_t words, uint64_t seed);
/* True if this is the record that session_put wrote. */
bool session_is(const struct omptape_record *record, size_t words, uint64_t seed);

/* Refreshes the consumer and returns the stream of a slot; NULL: it has none. */
struct omptape_stream *session_stream(struct session *session, uint32_t slot);
/* Reads the next record of a stream; NULL: none. Valid until the next call. */
const struct omptape_record *session_next(struct session *session, struct omptape_stream *stream);
/* How the next record of a look begins, until the next call; NULL: there is none. */
const struct omptape_record *session_look(struct session *session, struct omptape_lookahead *ahead);

/* A pseudo-random number (xorshift64*); *state must not be 0. Any thread with its own state. */
uint64_t session_random(uint64_t *state);
