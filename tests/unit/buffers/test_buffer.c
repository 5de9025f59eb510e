/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the buffers: pool, producer and consumer, on one thread where nothing else is said. Run by
 * CTest as unit.buffer.
 */
#include "tests/unit/session_fixture.h"

#include "buffers/pool.h"
#include "buffers/writer_monitor.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 4, ROOM_WORDS = (OMPTAPE_CHUNK_BYTES - OMPTAPE_CHUNK_HEADER_BYTES) / 8 };

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

/* Chunks that there are for one thread: its current one does not count. */
enum { CHUNKS_OF_ONE = CHUNKS + 1 };

/* The writer is gone: nobody waits for it. */
static void lose_writer(void)
{
    atomic_store(&session.shm->writer_state, OMPTAPE_WRITER_FINISHED);
}

static void test_pool_hands_out_each_chunk_once(void **state)
{
    (void)state;
    bool seen[CHUNKS + 1] = {false};
    for (unsigned i = 0; i < CHUNKS; i++) {
        uint32_t chunk = omptape_pool_alloc_chunk(session.shm);
        assert_in_range(chunk, 1, CHUNKS);
        assert_false(seen[chunk]);
        seen[chunk] = true;
    }
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
}

static void test_pool_takes_back_what_it_gave(void **state)
{
    (void)state;
    uint32_t first = omptape_pool_alloc_chunk(session.shm);
    uint32_t second = omptape_pool_alloc_chunk(session.shm);
    omptape_pool_free_chunk(session.shm, first);
    omptape_pool_free_chunk(session.shm, second);
    /* Warm ones first, the warmest of all before the others. */
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), second);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), first);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), 3);
}

static void test_pool_knows_how_much_is_used(void **state)
{
    (void)state;
    uint32_t first = omptape_pool_alloc_chunk(session.shm);
    uint32_t second = omptape_pool_alloc_chunk(session.shm);
    assert_int_equal(omptape_pool_used(session.shm), 2);
    omptape_pool_free_chunk(session.shm, first);
    assert_int_equal(omptape_pool_used(session.shm), 1);
    omptape_pool_free_chunk(session.shm, second);
    assert_int_equal(omptape_pool_used(session.shm), 0);
    /* The program overwrote the list: a circle, and a chunk that there is not. */
    atomic_store(omptape_shm_link(session.shm, first), second);
    assert_int_equal(omptape_pool_used(session.shm), 0);
    atomic_store(omptape_shm_link(session.shm, second), UINT32_MAX);
    assert_int_equal(omptape_pool_used(session.shm), 1);
}

/* The program overwrote the lists: numbers of no chunk, of a chunk without memory, and of no slot. */
static void test_pool_follows_no_overwritten_list(void **state)
{
    (void)state;
    enum { UNMAPPED = CHUNKS + 1000 };
    const uint32_t numbers[] = {UINT32_MAX, 0x80000000, session.shm->chunk_count + 64, UNMAPPED};
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        atomic_store(&session.shm->free_chunks, numbers[i]);
        assert_int_equal(omptape_pool_alloc_chunk(session.shm), i + 1);
    }
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    /* The writer still returns chunks. */
    omptape_pool_free_chunk(session.shm, 2);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), 2);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    const uint32_t slots[] = {UINT32_MAX, OMPTAPE_MAX_SLOTS + 1};
    for (int32_t i = 0; i < 2; i++) {
        atomic_store(&session.shm->free_slots, slots[i]);
        assert_int_equal(omptape_pool_alloc_slot(session.shm), i);
    }
}

static void test_live_threads_raise_the_limit(void **state)
{
    (void)state;
    uint32_t count = session.shm->chunk_count;
    uint32_t taken = 0;
    assert_int_equal(session.shm->chunk_limit, CHUNKS);
    assert_true(count > CHUNKS + 3);
    atomic_store(&session.shm->live_threads, 3);
    while (taken < CHUNKS + 3)
        assert_int_equal(omptape_pool_alloc_chunk(session.shm), ++taken);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    /* Never beyond the memory. */
    atomic_store(&session.shm->live_threads, UINT32_MAX);
    while (taken < count)
        assert_int_equal(omptape_pool_alloc_chunk(session.shm), ++taken);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
}

static void test_ended_threads_do_not(void **state)
{
    (void)state;
    lose_writer();
    for (unsigned i = 0; i < CHUNKS; i++)
        session_end_thread(session_new_thread());
    assert_int_equal(atomic_load(&session.shm->live_threads), 0);
    /* Nobody has read what they left: one more has the chunk that a live thread may have, the next has none.
     */
    struct omptape_slot *slot = session_new_thread();
    assert_non_null(slot);
    session_end_thread(slot);
    assert_null(session_new_thread());
}

static void test_current_chunks_do_not_count(void **state)
{
    (void)state;
    enum { THREADS = 10 };
    for (unsigned i = 0; i < THREADS; i++)
        assert_non_null(session_new_thread());
    for (unsigned i = 0; i < CHUNKS; i++)
        assert_int_not_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
}

static void test_slots_are_all_used_and_come_back(void **state)
{
    (void)state;
    for (int32_t i = 0; i < OMPTAPE_MAX_SLOTS; i++)
        assert_int_equal(omptape_pool_alloc_slot(session.shm), i);
    assert_int_equal(omptape_pool_alloc_slot(session.shm), -1);
    omptape_pool_free_slot(session.shm, 0);
    omptape_pool_free_slot(session.shm, OMPTAPE_MAX_SLOTS - 1);
    assert_int_equal(omptape_pool_alloc_slot(session.shm), OMPTAPE_MAX_SLOTS - 1);
    assert_int_equal(omptape_pool_alloc_slot(session.shm), 0);
    assert_int_equal(omptape_pool_alloc_slot(session.shm), -1);
}

static void test_nothing_attaches_without_a_session(void **state)
{
    (void)state;
    atomic_store(&omptape_producer_shm, NULL);
    assert_null(session_new_thread());
    atomic_store(&omptape_producer_shm, session.shm);
    atomic_store(&session.shm->program_state, OMPTAPE_PROGRAM_DONE);
    assert_null(session_new_thread());
}

static enum omptape_kind late_kind;

static struct omptape_shm *start_late(enum omptape_kind kind)
{
    late_kind = kind;
    atomic_store(&omptape_producer_shm, session.shm);
    return session.shm;
}

static void test_late_start_gets_its_chance(void **state)
{
    (void)state;
    atomic_store(&omptape_producer_shm, NULL);
    omptape_producer_late_start = start_late;
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_WORK);
    omptape_producer_late_start = NULL;
    assert_non_null(slot);
    assert_int_equal(late_kind, OMPTAPE_WORK);
    assert_ptr_equal(omptape_producer_get(OMPTAPE_WORK), slot);
}

static void test_stream_starts_with_its_thread(void **state)
{
    (void)state;
    uint64_t before = omptape_clock_now();
    omptape_producer_slot = NULL;
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_THREAD_BEGIN, 2);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    const struct omptape_record *record = session_next(&session, stream);
    assert_int_equal(record->kind, OMPTAPE_THREAD_BEGIN);
    assert_int_equal(record->a, 2);
    assert_int_equal(record->b, gettid());
    assert_true(record->time >= before && record->time <= omptape_clock_now());
    assert_null(session_next(&session, stream));
}

static void test_slot_is_reused_with_new_identities(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (uint32_t i = 1; i <= 10; i++) {
        struct omptape_slot *slot = session_new_thread();
        assert_int_equal(slot->index, 0);
        assert_int_equal(atomic_load(&slot->shared->generation), i);
        uint64_t id = omptape_producer_id(slot);
        assert_true(id > last);
        last = id;
        session_end_thread(slot);
        struct omptape_stream *stream = session_stream(&session, 0);
        assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
        assert_null(session_next(&session, stream));
        assert_true(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    }
    /* One chunk served them all. */
    assert_int_equal(atomic_load(&session.shm->fresh_chunks), 1);
}

static void test_finish_waits_for_the_thread_and_its_records(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    assert_false(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    assert_true(session_put(slot, 2, 0));
    session_end_thread(slot);
    assert_false(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    assert_true(session_is(session_next(&session, stream), 2, 0));
    assert_true(omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0}));
    assert_false(stream->active);
    assert_null(session_stream(&session, slot->index));
}

static void test_only_what_is_committed_is_seen(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_non_null(session_next(&session, stream));
    struct omptape_record *record = omptape_producer_reserve(slot, 3, OMPTAPE_FLUSH, 1, 7);
    record->p[0] = 7;
    assert_null(session_next(&session, stream));
    omptape_producer_commit(slot, record);
    /* The chunk is not full and perhaps never will be. */
    assert_true(session_is(session_next(&session, stream), 3, 7));
    assert_null(session_next(&session, stream));
}

static void test_records_of_all_sizes(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_non_null(session_next(&session, stream));
    for (size_t round = 0; round < 4; round++) {
        for (size_t words = OMPTAPE_RECORD_HEADER_WORDS; words <= OMPTAPE_RECORD_MAX_WORDS; words++) {
            assert_true(session_put(slot, words, words * 1000));
            assert_true(session_is(session_next(&session, stream), words, words * 1000));
        }
    }
    assert_null(session_next(&session, stream));
}

static void test_too_large_records_are_refused(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_non_null(session_next(&session, stream));
    size_t too_large = OMPTAPE_RECORD_MAX_WORDS + 1;
    assert_null(omptape_producer_reserve(slot, too_large, OMPTAPE_FLUSH, 0, 0));
    assert_null(omptape_producer_reserve(slot, ROOM_WORDS + 1, OMPTAPE_FLUSH, 0, 0));
    while (slot->limit - slot->cursor >= (ptrdiff_t)too_large)
        assert_true(session_put(slot, OMPTAPE_RECORD_MAX_WORDS, 0));
    assert_null(omptape_producer_reserve(slot, too_large, OMPTAPE_FLUSH, 0, 0));
    /* And nothing was damaged by that. */
    assert_true(session_put(slot, 2, 5));
    const struct omptape_record *record;
    const struct omptape_record *last = NULL;
    while ((record = session_next(&session, stream)) != NULL)
        last = record;
    assert_true(session_is(last, 2, 5));
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 0);
}

static void test_chunks_follow_each_other(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t random = 1;
    uint64_t put = 0;
    /* Up to the last chunk of the pool, which is then partly used. */
    while (slot->chunk->number < CHUNKS_OF_ONE || slot->limit - slot->cursor > 1000)
        assert_true(session_put(slot, 2 + session_random(&random) % 60, put++));

    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    random = 1;
    for (uint64_t i = 0; i < put; i++)
        assert_true(session_is(session_next(&session, stream), 2 + session_random(&random) % 60, i));
    assert_null(session_next(&session, stream));
    /* All but the current chunk are back. */
    for (unsigned i = 0; i < CHUNKS_OF_ONE - 1; i++)
        assert_int_not_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
}

static void test_chunk_filled_to_the_last_word(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_non_null(session_next(&session, stream));
    while (slot->limit - slot->cursor > 4)
        assert_true(session_put(slot, 2, 1));
    size_t rest = (size_t)(slot->limit - slot->cursor);
    assert_true(session_put(slot, rest, 2));
    assert_ptr_equal(slot->cursor, slot->limit);
    assert_true(session_put(slot, 2, 3));
    assert_int_equal(slot->chunk->number, 2);
    const struct omptape_record *record;
    while ((record = session_next(&session, stream)) != NULL && record->b == 1) {
    }
    assert_true(session_is(record, rest, 2));
    assert_true(session_is(session_next(&session, stream), 2, 3));
}

static void test_looking_ahead_reads_nothing(void **state)
{
    (void)state;
    enum { RECORDS = 3000 };
    struct omptape_slot *slot = session_new_thread();
    for (uint64_t i = 0; i < RECORDS; i++)
        assert_true(session_put(slot, 4, i));
    assert_true(slot->chunk->number > 1);

    struct omptape_stream *stream = session_stream(&session, slot->index);
    for (int round = 0; round < 2; round++) {
        struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
        assert_int_equal(session_look(&session, &ahead)->kind, OMPTAPE_THREAD_BEGIN);
        for (uint64_t i = 0; i < RECORDS; i++)
            assert_true(session_is(session_look(&session, &ahead), 4, i));
        assert_null(session_look(&session, &ahead));
    }
    assert_non_null(session_next(&session, stream));
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct omptape_lookahead ahead = omptape_consumer_lookahead(stream);
        assert_true(session_is(session_look(&session, &ahead), 4, i));
        assert_true(session_is(session_next(&session, stream), 4, i));
    }
    assert_null(session_next(&session, stream));
}

static void test_peek_without_advance_stays(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    assert_true(session_put(slot, 2, 1));
    struct omptape_stream *stream = session_stream(&session, slot->index);
    const struct omptape_record *record = omptape_consumer_peek(&session.consumer, stream);
    assert_ptr_equal(omptape_consumer_peek(&session.consumer, stream), record);
    omptape_consumer_advance(stream, record);
    assert_true(session_is(omptape_consumer_peek(&session.consumer, stream), 2, 1));
}

/* Puts records until the pool has no more; returns how many were taken. */
static uint64_t fill_pool(struct omptape_slot *slot, uint64_t seed)
{
    uint64_t put = 0;
    while (session_put(slot, 8, seed + put))
        put++;
    return put;
}

static void expect_records(struct omptape_stream *stream, uint64_t seed, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        assert_true(session_is(session_next(&session, stream), 8, seed + i));
}

static void test_records_are_dropped_and_counted_without_a_writer(void **state)
{
    (void)state;
    enum { DROPPED = 1000 };
    lose_writer();
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill_pool(slot, 0);
    uint64_t dropping_since = slot->shared->dropped_since;
    for (int i = 1; i < DROPPED; i++)
        assert_false(session_put(slot, 8, 0));
    assert_int_equal(atomic_load(&slot->shared->dropped_total), DROPPED);

    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    expect_records(stream, 0, put);
    assert_null(session_next(&session, stream));

    /* The pool has free chunks again: the gap is recorded before the next record. */
    uint64_t again = fill_pool(slot, 100000);
    assert_in_range(again, 1, put);
    const struct omptape_record *gap = session_next(&session, stream);
    assert_int_equal(gap->kind, OMPTAPE_DROPPED);
    assert_int_equal(gap->words, 4);
    assert_int_equal(gap->time, dropping_since);
    assert_int_equal(gap->p[0], DROPPED);
    /* And the record that found the pool empty again. */
    assert_int_equal(atomic_load(&slot->shared->dropped_total), DROPPED + 1);
    assert_true(gap->p[1] >= gap->time);
    expect_records(stream, 100000, again);
    assert_null(session_next(&session, stream));
}

static void test_shorter_record_does_not_slip_in_before_the_gap(void **state)
{
    (void)state;
    enum { LONG = 10, SHORT = 3 }; /* a chunk's words are no multiple of LONG: SHORT fits into what is left */
    lose_writer();
    struct omptape_slot *slot = session_new_thread();
    while (session_put(slot, LONG, 0))
        ;
    assert_false(session_put(slot, SHORT, 0));
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 2);
}

static void test_nobody_waits_for_a_dead_writer(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_true(child > 0);
    siginfo_t info;
    /* Dead, and nobody has reaped it. */
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    atomic_store(&session.shm->writer_pid, child);
    /* It is looked for when its heart has not beaten for a while. The writer of an earlier test may have been
     * seen long ago. */
    atomic_fetch_add(&session.shm->heartbeat, 1000);
    assert_false(omptape_writer_monitor_is_lost(session.shm));
    while (!omptape_writer_monitor_is_lost(session.shm))
        usleep(10000);
    struct omptape_slot *slot = session_new_thread();
    fill_pool(slot, 0);
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(omptape_writer_monitor_is_lost(session.shm));
}

static void test_nobody_waits_after_the_end(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    atomic_store(&session.shm->program_state, OMPTAPE_PROGRAM_DONE);
    fill_pool(slot, 0);
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 0);
}

static void test_thread_without_room_is_counted(void **state)
{
    (void)state;
    lose_writer();
    atomic_store(&session.shm->fresh_chunks, session.shm->chunk_count);
    assert_null(session_new_thread());
    assert_int_equal(atomic_load(&session.shm->dropped_records), 1);
    /* Its slot is not lost. */
    omptape_pool_free_chunk(session.shm, 1);
    assert_int_equal(session_new_thread()->index, 0);
}

static void test_slot_of_a_dropping_thread_starts_anew(void **state)
{
    (void)state;
    lose_writer();
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = fill_pool(slot, 0);
    session_end_thread(slot);
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    expect_records(stream, 0, put);
    assert_null(session_next(&session, stream));
    assert_int_equal(omptape_consumer_dropped(&session.consumer, stream), 1);
    uint64_t dropped = 0;
    assert_true(omptape_consumer_finish(&session.consumer, stream, &dropped));
    assert_int_equal(dropped, 1);

    assert_ptr_equal(session_new_thread(), slot);
    stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    put = fill_pool(slot, 0);
    expect_records(stream, 0, put);
    assert_null(session_next(&session, stream));
    assert_true(omptape_consumer_is_dropping(&session.consumer, stream));
    assert_int_equal(omptape_consumer_dropped(&session.consumer, stream), 1);
}

static void *put_one_more(void *slot)
{
    return session_put(slot, 8, 424242) ? slot : NULL;
}

static void test_waiting_shows_in_the_stream(void **state)
{
    (void)state;
    pthread_t thread;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = 0;
    while (slot->chunk->number < CHUNKS_OF_ONE || slot->limit - slot->cursor >= 8)
        assert_true(session_put(slot, 8, put++));

    uint64_t before = omptape_clock_now();
    assert_int_equal(pthread_create(&thread, NULL, put_one_more, slot), 0);
    while (atomic_load(&session.shm->chunk_waiters) == 0)
        usleep(1000); /* between two looks */
    uint64_t waiting = omptape_clock_now();
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    expect_records(stream, 0, put);
    void *result = NULL;
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, slot);
    assert_int_equal(atomic_load(&session.shm->chunk_waiters), 0);

    const struct omptape_record *stall = session_next(&session, stream);
    assert_int_equal(stall->kind, OMPTAPE_STALL);
    assert_int_equal(stall->words, 4);
    assert_true(stall->time >= before && stall->time <= waiting && stall->p[0] >= waiting);
    assert_true(session_is(session_next(&session, stream), 8, 424242));
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(pool_hands_out_each_chunk_once),
        TEST(pool_takes_back_what_it_gave),
        TEST(pool_knows_how_much_is_used),
        TEST(pool_follows_no_overwritten_list),
        TEST(live_threads_raise_the_limit),
        TEST(ended_threads_do_not),
        TEST(current_chunks_do_not_count),
        TEST(slots_are_all_used_and_come_back),
        TEST(nothing_attaches_without_a_session),
        TEST(late_start_gets_its_chance),
        TEST(stream_starts_with_its_thread),
        TEST(slot_is_reused_with_new_identities),
        TEST(finish_waits_for_the_thread_and_its_records),
        TEST(only_what_is_committed_is_seen),
        TEST(records_of_all_sizes),
        TEST(too_large_records_are_refused),
        TEST(chunks_follow_each_other),
        TEST(chunk_filled_to_the_last_word),
        TEST(looking_ahead_reads_nothing),
        TEST(peek_without_advance_stays),
        TEST(records_are_dropped_and_counted_without_a_writer),
        TEST(shorter_record_does_not_slip_in_before_the_gap),
        TEST(nobody_waits_for_a_dead_writer),
        TEST(nobody_waits_after_the_end),
        TEST(thread_without_room_is_counted),
        TEST(slot_of_a_dropping_thread_starts_anew),
        TEST(waiting_shows_in_the_stream),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
