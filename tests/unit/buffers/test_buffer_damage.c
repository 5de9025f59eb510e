/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the consumer on memory that the program has scribbled over: it must read nothing outside its
 * mapping (session_fixture puts inaccessible pages around it), end, and lose no more than it has to. Run by
 * CTest as unit.buffer_damage.
 */
#include "tests/unit/session_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 4, ROOM_BYTES = OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES };

static struct session session;

static int open_session(void **state)
{
    (void)state;
    session_open(&session, CHUNKS);
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    session_close(&session);
    return 0;
}

/* Fills chunks until the thread has `chunks` of them; the payload seeds count from 0. Returns how many. */
static uint64_t fill(struct omptape_slot *slot, unsigned chunks)
{
    uint64_t put = 0;
    for (unsigned used = 1; used < chunks; put++) {
        const struct omptape_chunk *before = slot->chunk;
        assert_true(session_put(slot, 8, put));
        used += slot->chunk != before;
    }
    return put;
}

/* Reads what is left of a stream; fails if that does not end. */
static unsigned read_rest(struct omptape_stream *stream)
{
    unsigned count = 0;
    while (session_next(&session, stream) != NULL) {
        count++;
        assert_in_range(count, 0, CHUNKS * ROOM_BYTES / 16);
    }
    return count;
}

static void test_other_size_is_refused(void **state)
{
    (void)state;
    struct omptape_consumer other;
    int fd = memfd_create("short", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(omptape_consumer_open(&other, fd, &session.layout), -EPROTO);
    assert_int_equal(ftruncate(fd, 4096), 0);
    assert_int_equal(omptape_consumer_open(&other, fd, &session.layout), -EPROTO);
    /* All but the last byte, and one too many. */
    assert_int_equal(ftruncate(fd, (off_t)session.layout.bytes - 1), 0);
    assert_int_equal(omptape_consumer_open(&other, fd, &session.layout), -EPROTO);
    assert_int_equal(ftruncate(fd, (off_t)session.layout.bytes + 1), 0);
    assert_int_equal(omptape_consumer_open(&other, fd, &session.layout), -EPROTO);
    close(fd);
    assert_int_equal(omptape_consumer_open(&other, fd, &session.layout), -EBADF);
}

static void test_header_may_change_afterwards(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill(slot, 3);
    session_end_thread(slot);
    session.shm->chunks_offset = UINT64_MAX / 2;
    session.shm->chunk_count = UINT32_MAX;
    session.shm->chunk_limit = UINT32_MAX;
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(read_rest(stream), put + 1);
    assert_true(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    atomic_store(&session.shm->fresh_slots, UINT32_MAX);
    omptape_consumer_refresh(&session.consumer);
    assert_in_range(session.consumer.stream_count, 0, OMPTAPE_MAX_SLOTS);
}

static void test_links_lead_nowhere(void **state)
{
    (void)state;
    const uint32_t links[] = {session.shm->chunk_count + 1, UINT32_MAX, 0x80000000, session.shm->chunk_count};
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill(slot, 2);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
        uint64_t seen = 0;
        atomic_store(&omptape_shm_chunk(session.shm, 1)->next, links[i]);
        while (session_look(&session, &ahead) != NULL)
            seen++;
        assert_in_range(seen, 0, put);
        assert_in_range(read_rest(stream), 0, put);
    }
    const uint32_t first_chunks[] = {session.shm->chunk_count + 1, UINT32_MAX};
    struct omptape_slot *other = session_new_thread();
    for (size_t i = 0; i < sizeof(first_chunks) / sizeof(first_chunks[0]); i++) {
        atomic_store(&other->shared->first_chunk, first_chunks[i]);
        assert_null(session_stream(&session, other->index));
    }
}

static void expect_circle_ends(uint32_t length)
{
    struct omptape_slot *slot = session_new_thread();
    struct omptape_chunk *first = slot->chunk;
    fill(slot, length);
    atomic_store(&slot->chunk->next, first->number);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    read_rest(stream);
    /* And where there is nothing to read in it. */
    atomic_store(&stream->chunk->next, stream->chunk->number);
    struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
    assert_null(session_look(&session, &ahead));
    read_rest(stream);
}

static void test_links_in_a_circle_end(void **state)
{
    (void)state;
    for (uint32_t length = 1; length <= 3; length++) {
        session_close(&session);
        session_open(&session, CHUNKS);
        expect_circle_ends(length);
    }
}

static void test_foreign_chunks_are_not_followed(void **state)
{
    (void)state;
    struct omptape_slot *one = session_new_thread();
    struct omptape_slot *two = session_new_thread();
    assert_true(session_put(two, 2, 77));
    atomic_store(&one->chunk->next, two->chunk->number);
    struct omptape_stream *first = session_stream(&session, one->index);
    struct omptape_stream *second = session_stream(&session, two->index);
    assert_int_equal(read_rest(first), 1);
    assert_int_equal(session_next(&session, second)->kind, OMPTAPE_THREAD_BEGIN);
    assert_true(session_is(session_next(&session, second), 2, 77));
}

static void test_commits_beyond_the_chunk(void **state)
{
    (void)state;
    static const uint32_t commits[] = {1,         7, 15, 17, 23, ROOM_BYTES - 8, ROOM_BYTES, ROOM_BYTES + 8,
                                       UINT32_MAX};
    /* The very last chunk: what follows it is not mapped. */
    atomic_store(&session.shm->fresh_chunks, session.shm->chunk_count - 1);
    atomic_store(&session.shm->live_threads, OMPTAPE_EXTRA_CHUNKS);
    struct omptape_slot *slot = session_new_thread();
    assert_int_equal(slot->chunk->number, session.shm->chunk_count);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    for (size_t i = 0; i < sizeof(commits) / sizeof(commits[0]); i++) {
        atomic_store(&slot->chunk->committed, commits[i]);
        read_rest(stream);
    }
}

/* What comes after such a commit is not read from between two words. */
static void test_commits_within_a_word(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    fill(slot, 1);
    assert_true(session_put(slot, 2, 0));
    for (uint32_t committed = 1; committed < 100; committed++) {
        atomic_store(&slot->chunk->committed, committed);
        read_rest(stream);
        assert_int_equal(stream->offset % 8, 0);
    }
}

static void test_record_at_the_last_word(void **state)
{
    (void)state;
    atomic_store(&session.shm->fresh_chunks, session.shm->chunk_count - 1);
    atomic_store(&session.shm->live_threads, OMPTAPE_EXTRA_CHUNKS);
    struct omptape_slot *slot = session_new_thread();
    assert_int_equal(slot->chunk->number, session.shm->chunk_count);
    while (slot->limit - slot->cursor > 3)
        assert_true(session_put(slot, 2, 0));
    size_t rest = (size_t)(slot->limit - slot->cursor);
    assert_true(session_put(slot, rest, 0));
    /* As if a record had been a word shorter: one word is left, half a header. */
    struct omptape_record *last = (struct omptape_record *)(void *)(slot->limit - rest);
    uint64_t *place = (uint64_t *)(void *)last;
    if (rest == 2)
        last = (struct omptape_record *)(void *)(place - 2);
    last->words = 3;
    atomic_store(&slot->chunk->committed, ROOM_BYTES);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
    while (session_look(&session, &ahead) != NULL) {
    }
    read_rest(stream);
}

static void test_damaged_record_costs_its_chunk_only(void **state)
{
    (void)state;
    static const uint8_t sizes[] = {0, 1, 255};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct omptape_slot *slot = session_new_thread();
        const struct omptape_chunk *first = slot->chunk;
        assert_true(session_put(slot, 8, 5));
        struct omptape_record *victim = (struct omptape_record *)(void *)slot->cursor;
        while (slot->chunk == first)
            assert_true(session_put(slot, 8, 6));
        assert_true(session_put(slot, 8, 7));
        if (sizes[i] == 255) /* reaches over the end */
            victim = (struct omptape_record *)(void *)((char *)first + OMPTAPE_CHUNK_BYTES - 16 * 8);
        victim->words = sizes[i];
        struct omptape_stream *stream = session_stream(&session, slot->index);
        assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
        assert_true(session_is(session_next(&session, stream), 8, 5));
        const struct omptape_record *record;
        const struct omptape_record *last = NULL;
        while ((record = session_next(&session, stream)) != NULL)
            last = record;
        assert_true(session_is(last, 8, 7));
        session_end_thread(slot);
        assert_true(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    }
}

static void scribble(uint64_t *random)
{
    static const uint32_t favourites[] = {0,  1,  2,          3,       4,          8,
                                          15, 16, ROOM_BYTES, 0x10000, 0x80000000, UINT32_MAX};
    struct omptape_shm *shm = session.shm;
    uint32_t value = session_random(random) % 2 != 0
                         ? favourites[session_random(random) % (sizeof(favourites) / sizeof(favourites[0]))]
                         : (uint32_t)session_random(random);
    uint32_t chunk = 1 + (uint32_t)(session_random(random) % CHUNKS);
    struct omptape_shared_slot *slot = omptape_shm_slot(shm, (uint32_t)(session_random(random) % CHUNKS));
    switch (session_random(random) % 8) {
    case 0:
        atomic_store(&omptape_shm_chunk(shm, chunk)->next, value);
        break;
    case 1:
        atomic_store(&omptape_shm_chunk(shm, chunk)->committed, value);
        break;
    case 2:
        atomic_store(&slot->first_chunk, value);
        break;
    case 3:
        atomic_store(&slot->state, value % 4);
        break;
    case 4:
        atomic_store(&shm->free_chunks, ((uint64_t)value << 32) | value);
        break;
    default: {
        /* Anywhere in a chunk. */
        uint32_t *words = (uint32_t *)(void *)omptape_shm_chunk(shm, chunk);
        words[session_random(random) % (OMPTAPE_CHUNK_BYTES / sizeof(*words))] = value;
        break;
    }
    }
}

static void use_consumer(uint64_t *random)
{
    omptape_consumer_refresh(&session.consumer);
    for (uint32_t i = 0; i < session.consumer.stream_count; i++) {
        struct omptape_stream *stream = &session.consumer.streams[i];
        if (!stream->active)
            continue;
        struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
        for (unsigned k = 0; k < 16 && session_look(&session, &ahead) != NULL; k++) {
        }
        for (uint64_t k = session_random(random) % 5000; k > 0 && session_next(&session, stream) != NULL;
             k--) {
        }
        omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0});
    }
}

/* Whatever stands in the memory, the consumer survives it, and each of its calls returns. */
static void test_random_damage(void **state)
{
    (void)state;
    uint64_t random = 20261120;
    for (unsigned round = 0; round < 300; round++) {
        if (round > 0)
            session_open(&session, CHUNKS);
        for (unsigned i = 0; i < CHUNKS; i++)
            fill(session_new_thread(), 1 + i % 2);
        for (unsigned i = 0; i < 40; i++) {
            for (uint64_t k = session_random(&random) % 20; k > 0; k--)
                scribble(&random);
            use_consumer(&random);
        }
        if (round < 299)
            session_close(&session);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(other_size_is_refused),
        TEST(header_may_change_afterwards),
        TEST(links_lead_nowhere),
        TEST(links_in_a_circle_end),
        TEST(foreign_chunks_are_not_followed),
        TEST(commits_beyond_the_chunk),
        TEST(commits_within_a_word),
        TEST(record_at_the_last_word),
        TEST(damaged_record_costs_its_chunk_only),
        TEST(random_damage),
    };
    return cmocka_run_group_tests_name("buffer_damage", tests, NULL, NULL);
}
