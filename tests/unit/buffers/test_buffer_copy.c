/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the copy from which a snapshot is written: it holds what was committed and not read, stays as
 * it is while the session goes on, and ends whatever the program did to its buffers. Run by CTest as
 * unit.buffer_copy.
 */
#include "tests/unit/session_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CHUNKS = 8, WORDS = 8 };

static struct session session;
static struct omptape_consumer copy;

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

/* Fills chunks until the thread has `chunks` of them; the payload seeds count from `seed`. Returns the next.
 */
static uint64_t fill(struct omptape_slot *slot, unsigned chunks, uint64_t seed)
{
    for (unsigned used = 1; used < chunks; seed++) {
        const struct omptape_chunk *before = slot->chunk;
        assert_true(session_put(slot, WORDS, seed));
        used += slot->chunk != before;
    }
    return seed;
}

/* How many records of session_put's the stream holds, from `seed` on; fails if they are others, or without
 * end. */
static uint64_t read_all(struct omptape_consumer *consumer, struct omptape_stream *stream, uint64_t seed)
{
    const struct omptape_record *record;
    uint64_t first = seed;
    while ((record = omptape_consumer_peek(consumer, stream)) != NULL) {
        omptape_consumer_advance(stream, record);
        if (record->kind == OMPTAPE_THREAD_BEGIN)
            continue;
        assert_true(session_is(record, WORDS, seed));
        seed++;
        assert_in_range(seed - first, 0, CHUNKS * OMPTAPE_CHUNK_BYTES / 16);
    }
    return seed - first;
}

static void test_holds_what_was_not_read(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill(slot, 4, 0);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    (void)session_next(&session, stream);
    enum { READ = 1500 };
    for (unsigned i = 0; i < READ; i++)
        assert_true(session_is(session_next(&session, stream), WORDS, i));
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    assert_true(put > READ);
    assert_int_equal(read_all(&copy, &copy.streams[slot->index], READ), put - READ);
    omptape_consumer_close(&copy);
    /* The session lost nothing. */
    assert_int_equal(read_all(&session.consumer, stream, READ), put - READ);
}

static void test_stays_as_it_is(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill(slot, 3, 0);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    /* All that was copied is read and written over. */
    uint64_t more = fill(slot, 3, put);
    assert_int_equal(read_all(&session.consumer, stream, 0), more);
    more = fill(slot, 6, more);
    assert_int_equal(read_all(&copy, &copy.streams[slot->index], 0), put);
    assert_false(omptape_consumer_finish(&copy, &copy.streams[slot->index], &(uint64_t){0}));
    omptape_consumer_close(&copy);
}

static void test_ended_and_new_threads(void **state)
{
    (void)state;
    struct omptape_slot *ended = session_new_thread();
    uint64_t put = fill(ended, 2, 0);
    atomic_store(&ended->shared->dropped_total, 11);
    session_end_thread(ended);
    /* Nobody has looked at this one yet. */
    struct omptape_slot *fresh = session_new_thread();
    assert_true(session_put(fresh, WORDS, 0));
    uint64_t dropped = 0;
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    struct omptape_stream *stream = &copy.streams[ended->index];
    assert_int_equal(read_all(&copy, stream, 0), put);
    assert_true(omptape_consumer_finish(&copy, stream, &dropped));
    assert_int_equal(dropped, 11);
    assert_int_equal(read_all(&copy, &copy.streams[fresh->index], 0), 1);
    omptape_consumer_close(&copy);
    /* The copy's end is not the session's. */
    assert_int_equal(atomic_load(&ended->shared->state), OMPTAPE_SLOT_ENDED);
    assert_int_equal(atomic_load(&ended->shared->dropped_total), 11);
}

/* Copies, and reads what came of it; fails if that does not end. Returns how many records there were. */
static uint64_t copied(const struct omptape_slot *slot)
{
    uint64_t count = 0;
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    struct omptape_stream *stream = &copy.streams[slot->index];
    const struct omptape_record *record;
    while ((record = omptape_consumer_peek(&copy, stream)) != NULL) {
        omptape_consumer_advance(stream, record);
        count++;
        assert_in_range(count, 0, CHUNKS * OMPTAPE_CHUNK_BYTES / 16);
    }
    omptape_consumer_close(&copy);
    return count;
}

static void test_circle_of_chunks(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill(slot, 3, 0);
    assert_non_null(session_stream(&session, slot->index));
    atomic_store(&slot->chunk->next, atomic_load(&slot->shared->first_chunk));
    assert_true(copied(slot) >= put);
    atomic_store(&slot->chunk->next, slot->chunk->number);
    assert_true(copied(slot) >= put);
}

static void test_damaged_links(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    (void)fill(slot, 3, 0);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    struct omptape_chunk *first =
        omptape_shm_chunk(session.shm, omptape_consumer_number(&session.consumer, stream->chunk));
    uint64_t random = 7;
    uint32_t length = atomic_load(&first->committed);
    const uint32_t links[] = {UINT32_MAX, session.shm->chunk_count + 1, session.shm->chunk_count, 0};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        atomic_store(&first->next, links[i]);
        atomic_store(&first->committed, i % 2 == 0 ? UINT32_MAX : length);
        (void)copied(slot);
    }
    for (unsigned i = 0; i < 200; i++) {
        atomic_store(&first->next, (uint32_t)(session_random(&random) % (2 * CHUNKS)));
        atomic_store(&first->committed, (uint32_t)session_random(&random));
        atomic_store(&slot->chunk->next, (uint32_t)(session_random(&random) % (2 * CHUNKS)));
        (void)copied(slot);
    }
}

static void test_info_too_long(void **state)
{
    (void)state;
    (void)session_new_thread();
    atomic_store(&session.shm->info_bytes, UINT32_MAX);
    atomic_store(&session.shm->fresh_slots, UINT32_MAX);
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    assert_in_range(atomic_load(&copy.shm->info_bytes), 0, sizeof(copy.shm->info));
    omptape_consumer_close(&copy);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(holds_what_was_not_read), TEST(stays_as_it_is), TEST(ended_and_new_threads),
        TEST(circle_of_chunks),        TEST(damaged_links),  TEST(info_too_long),
    };
    return cmocka_run_group_tests_name("buffer_copy", tests, NULL, NULL);
}
