/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions for unit tests. The consumer's mapping is moved between inaccessible pages, so that a test which
 * makes it read outside dies at once.
 */
#include "tests/unit/session_fixture.h"

#include "buffers/layout.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GUARD_BYTES = 4096 };
/* Room for the kinds of omptape's own: a test's record is taken for none of them. */
enum { TEST_KIND = OMPTAPE_FLUSH };

bool session_refuses_segments;
unsigned session_refusals;

/* Takes libc's place for buffers/layout.c. */
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *fixed = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    if (old_bytes == 0 && session_refuses_segments) {
        session_refusals++;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, fixed);
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

static void move_between_guards(struct session *session)
{
    size_t bytes = session->consumer.mapped_bytes;
    session->reserved_bytes = bytes + (size_t)2 * GUARD_BYTES;
    session->reserved =
        mmap(NULL, session->reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(session->reserved != MAP_FAILED, "mmap");
    void *inside = (char *)session->reserved + GUARD_BYTES;
    void *moved = mremap(session->consumer.shm, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, inside);
    must(moved == inside, "mremap");
    session->consumer.shm = moved;
}

static void open_both_sides(struct session *session, uint32_t chunks)
{
    *session = (struct session){.fd = -1};
    omptape_clock_use(omptape_clock_choose());
    session->fd = omptape_layout_create((uint64_t)chunks * OMPTAPE_CHUNK_BYTES, &session->shm);
    must(session->fd >= 0, "layout");
    session->layout =
        omptape_layout_of(session->shm->chunk_limit, session->shm->chunk_count - session->shm->chunk_limit);
    session->shm_bytes =
        session->layout.chunks_offset + (size_t)session->shm->chunk_limit * OMPTAPE_CHUNK_BYTES;
    must(omptape_consumer_open(&session->consumer, session->fd, &session->layout) == 0, "consumer");
    omptape_producer_slot = NULL;
    must(omptape_producer_prepare() == 0, "producer");
    omptape_producer_open(session->shm);
}

void session_open(struct session *session, uint32_t chunks)
{
    open_both_sides(session, chunks);
    move_between_guards(session);
}

void session_open_shared(struct session *session, uint32_t chunks)
{
    session_refuses_segments = true;
    open_both_sides(session, chunks);
    session_refuses_segments = false;
    munmap(session->consumer.shm, session->consumer.mapped_bytes);
    session->consumer.shm = session->shm;
}

void session_close(struct session *session)
{
    atomic_store(&omptape_producer_shm, NULL);
    omptape_producer_slot = NULL;
    omptape_consumer_close(&session->consumer);
    if (session->reserved != NULL) {
        omptape_layout_unmap(session->shm);
        munmap(session->reserved, session->reserved_bytes);
    }
    close(session->fd);
}

struct omptape_slot *session_new_thread(void)
{
    omptape_producer_slot = NULL;
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_THREAD_BEGIN, 0);
    omptape_producer_slot = NULL;
    return slot;
}

void session_end_thread(struct omptape_slot *slot)
{
    omptape_producer_slot = slot;
    omptape_producer_detach();
}

bool session_put(struct omptape_slot *slot, size_t words, uint64_t seed)
{
    struct omptape_record *record =
        omptape_producer_reserve(slot, words, (enum omptape_kind)TEST_KIND, 1, (uint32_t)seed);
    if (record == NULL)
        return false;
    for (size_t i = 0; i < words - OMPTAPE_RECORD_HEADER_WORDS; i++)
        record->p[i] = seed + i;
    omptape_producer_commit(slot, record);
    return true;
}

bool session_is(const struct omptape_record *record, size_t words, uint64_t seed)
{
    if (record == NULL || record->kind != TEST_KIND || record->words != words || record->a != 1 ||
        record->b != (uint32_t)seed)
        return false;
    for (size_t i = 0; i < words - OMPTAPE_RECORD_HEADER_WORDS; i++)
        if (record->p[i] != seed + i)
            return false;
    return true;
}

struct omptape_stream *session_stream(struct session *session, uint32_t slot)
{
    omptape_consumer_refresh(&session->consumer);
    if (slot >= session->consumer.stream_count || !session->consumer.streams[slot].active)
        return NULL;
    return &session->consumer.streams[slot];
}

const struct omptape_record *session_next(struct session *session, struct omptape_stream *stream)
{
    const struct omptape_record *record = omptape_consumer_peek(&session->consumer, stream);
    if (record != NULL)
        omptape_consumer_advance(stream, record);
    return record;
}

const struct omptape_record *session_look(struct session *session, struct omptape_lookahead *ahead)
{
    static union omptape_record_head head;
    return omptape_consumer_lookahead_next(&session->consumer, ahead, &head) ? &head.record : NULL;
}

uint64_t session_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}
