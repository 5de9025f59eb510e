/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of records that are held back and updated (buffers/held.h). Run by CTest as unit.buffer_held.
 */
#include "tests/unit/session_fixture.h"

#include "buffers/held.h"
#include "buffers/repeats.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CHUNKS = 4, ROOM_WORDS = (OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES) / 8, HELD_WORDS = 4 };

static struct session session;
static struct omptape_slot *slot;
static struct omptape_stream *stream;

static int open_session(void **state)
{
    (void)state;
    session_open(&session, CHUNKS);
    slot = session_new_thread();
    stream = session_stream(&session, slot->index);
    return session_next(&session, stream) != NULL ? 0 : -1;
}

static int close_session(void **state)
{
    (void)state;
    session_close(&session);
    return 0;
}

static void put_held(uint64_t p0)
{
    omptape_held_put(slot, OMPTAPE_MPI_LEAVE, 1, 2, p0, 4711);
}

static void assert_held(const struct omptape_record *record, uint64_t p0)
{
    assert_non_null(record);
    assert_int_equal(record->kind, OMPTAPE_MPI_LEAVE);
    assert_int_equal(record->words, HELD_WORDS);
    assert_int_equal(record->a, 1);
    assert_int_equal(record->b, 2);
    assert_int_equal(record->p[0], p0);
    assert_int_equal(record->p[1], 4711);
}

/* A reader does not get it before it is final, and then as it was updated last. */
static void test_published_with_the_next(void **state)
{
    (void)state;
    put_held(1);
    assert_true(omptape_held_is_last(slot));
    assert_null(session_next(&session, stream));
    const uint64_t time = omptape_clock_now();
    assert_true(omptape_held_update(slot, time, 76, 4712));
    assert_true(omptape_held_update(slot, time, 77, 4711));
    assert_null(session_next(&session, stream));
    assert_true(session_put(slot, 4, 5));
    assert_false(omptape_held_is_last(slot));
    assert_false(omptape_held_update(slot, time + 1, 78, 4711));
    const struct omptape_record *record = session_next(&session, stream);
    assert_held(record, 77);
    assert_int_equal(record->time, time);
    assert_true(session_is(session_next(&session, stream), 4, 5));
    assert_null(session_next(&session, stream));
}

/* Waits count as far as they take longer than the shortest of the row, after a wait and after anything else.
 */
static void test_row_of_turns(void **state)
{
    static const struct {
        uint64_t time;
        bool is_wait;
    } turns[] = {{100, true}, {150, false}, {400, true}, {430, true}, {500, true}, {5000, false}};
    (void)state;
    omptape_held_put(slot, OMPTAPE_TURNS, 0, 0, 1, 0);
    omptape_repeats_count(slot, OMPTAPE_REPEATS_TURNS, 77, true);
    const uint64_t begin = omptape_clock_now();
    slot->repeats.last = begin;
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++)
        assert_true(omptape_repeats_extend_turn(slot, begin + turns[i].time, turns[i].is_wait));
    assert_true(session_put(slot, 4, 5));
    const struct omptape_record *record = session_next(&session, stream);
    assert_non_null(record);
    assert_int_equal(record->kind, OMPTAPE_TURNS);
    assert_int_equal(record->time, begin + 5000);
    assert_int_equal(record->p[0], 7);
    assert_int_equal(record->p[1], (250 - 100) + (70 - 30));
}

static void test_read_at_the_end(void **state)
{
    (void)state;
    put_held(1);
    assert_true(omptape_held_update(slot, omptape_clock_now(), 2, 4711));
    assert_null(session_next(&session, stream));
    session.consumer.final = true;
    assert_held(session_next(&session, stream), 2);
    /* A thread that goes on nevertheless. */
    assert_true(omptape_held_update(slot, omptape_clock_now(), 3, 4711));
    assert_null(session_next(&session, stream));
    assert_true(session_put(slot, 2, 0));
    assert_true(session_is(session_next(&session, stream), 2, 0));
    assert_null(session_next(&session, stream));
}

static void test_no_more_than_one_at_a_time(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3 * ROOM_WORDS; i++) {
        put_held(i);
        assert_true(omptape_held_update(slot, omptape_clock_now(), i + 1, 4711));
        if (i > 0)
            assert_held(session_next(&session, stream), i);
        assert_null(session_next(&session, stream));
    }
}

/* Whatever is left of the chunk: the next record may be in another one. */
static void test_at_the_end_of_a_chunk(void **state)
{
    (void)state;
    for (size_t left = HELD_WORDS; left < HELD_WORDS + 8; left++) {
        while ((size_t)(slot->limit - slot->cursor) > left) {
            size_t words = (size_t)(slot->limit - slot->cursor) - left;
            words = words < 200 ? words : 100;
            if (words < 2) /* too little for a record: go on in the next chunk */
                words = 100;
            assert_true(session_put(slot, words, left));
            assert_true(session_is(session_next(&session, stream), words, left));
        }
        put_held(left);
        assert_null(session_next(&session, stream));
        assert_true(omptape_held_update(slot, omptape_clock_now(), left + 1, 4711));
        assert_true(session_put(slot, 50, left));
        assert_false(omptape_held_update(slot, omptape_clock_now(), left + 2, 4711));
        assert_held(session_next(&session, stream), left + 1);
        assert_true(session_is(session_next(&session, stream), 50, left));
    }
}

/* A handler in the middle of another record can neither hold one back nor update one. */
static void test_not_by_handlers(void **state)
{
    (void)state;
    put_held(1);
    unsigned char frames[1 << 12];
    atomic_store(&slot->busy, (uintptr_t)frames + (1 << 22)); /* far up the stack */
    assert_false(omptape_held_update(slot, omptape_clock_now(), 2, 4711));
    put_held(9);
    atomic_store(&slot->busy, 0);
    assert_true(omptape_held_is_last(slot));
    assert_true(session_put(slot, 2, 0));
    assert_held(session_next(&session, stream), 1);
    assert_true(session_is(session_next(&session, stream), 2, 0));
    assert_held(session_next(&session, stream), 9); /* queued */
    assert_null(session_next(&session, stream));
}

static void test_in_a_copy(void **state)
{
    (void)state;
    assert_true(session_put(slot, 2, 0));
    put_held(5);
    struct omptape_consumer copy;
    assert_int_equal(omptape_consumer_copy(&session.consumer, &copy), 0);
    assert_true(omptape_held_update(slot, omptape_clock_now(), 6, 4711));
    const struct omptape_record *record = omptape_consumer_peek(&copy, &copy.streams[slot->index]);
    assert_true(session_is(record, 2, 0));
    omptape_consumer_advance(&copy.streams[slot->index], record);
    assert_held(omptape_consumer_peek(&copy, &copy.streams[slot->index]), 5);
    omptape_consumer_close(&copy);
    assert_true(session_is(session_next(&session, stream), 2, 0));
    assert_null(session_next(&session, stream));
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(published_with_the_next),
        TEST(row_of_turns),
        TEST(read_at_the_end),
        TEST(no_more_than_one_at_a_time),
        TEST(at_the_end_of_a_chunk),
        TEST(not_by_handlers),
        TEST(in_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
