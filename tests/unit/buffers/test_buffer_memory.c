/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of shared memory that the kernel refuses: where memory is accounted strictly, touching a fresh
 * page is SIGBUS. Here the file behind the memory is cut off, which the kernel answers alike. Run by CTest as
 * unit.buffer_memory.
 */
#include "tests/unit/session_fixture.h"

#include "buffers/layout.h"
#include "buffers/pool.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 4, CHUNKS_THERE = 2, WORDS = 8 };

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

/* The kernel tells a refusal only to who asks by madvise, since Linux 5.14. qemu-user answers in its place
 * that all is well. */
static void leave_memory(uint64_t bytes)
{
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip();
    if (madvise(session.shm, OMPTAPE_SLOTS_OFFSET, MADV_POPULATE_WRITE) != 0 && errno == EINVAL)
        skip();
    assert_int_equal(ftruncate(session.fd, (off_t)bytes), 0);
}

static uint64_t read_records(struct omptape_stream *stream, uint64_t first, uint64_t end)
{
    while (first < end) {
        const struct omptape_record *record = session_next(&session, stream);
        if (record == NULL || !session_is(record, WORDS, first))
            break;
        first++;
    }
    return first;
}

static void test_chunks_that_are_refused_are_dropped_records(void **state)
{
    (void)state;
    struct omptape_slot *slot = session_new_thread();
    uint64_t put = 0;
    leave_memory(session.shm->chunks_offset + CHUNKS_THERE * OMPTAPE_CHUNK_BYTES);
    errno = ENOENT; /* the program's */
    while (session_put(slot, WORDS, put))
        put++;
    assert_int_equal(errno, ENOENT);
    assert_int_equal(slot->chunk->number, CHUNKS_THERE);
    assert_int_equal(atomic_load(&slot->shared->dropped_total), 1);
    assert_int_equal(atomic_load(&session.shm->fresh_chunks), CHUNKS_THERE);

    /* What was recorded is read, and what is read makes room. */
    struct omptape_stream *stream = session_stream(&session, slot->index);
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_THREAD_BEGIN);
    assert_int_equal(read_records(stream, 0, put), put);
    assert_true(session_put(slot, WORDS, put));
    assert_int_equal(session_next(&session, stream)->kind, OMPTAPE_DROPPED);
    assert_int_equal(read_records(stream, put, put + 1), put + 1);
}

static void test_pages_ahead_are_made_as_far_as_possible(void **state)
{
    (void)state;
    leave_memory(session.shm->chunks_offset + CHUNKS_THERE * OMPTAPE_CHUNK_BYTES);
    omptape_consumer_populate_chunks(&session.consumer);
    assert_int_equal(session.consumer.chunks_populated, CHUNKS_THERE);
}

static void test_thread_whose_slot_is_refused_is_counted(void **state)
{
    (void)state;
    leave_memory(OMPTAPE_SLOTS_OFFSET);
    assert_null(session_new_thread());
    assert_int_equal(atomic_load(&session.shm->dropped_records), 1);
    assert_int_equal(atomic_load(&session.shm->fresh_slots), 0);
}

/* A thread without a slot asks for one at each of its events. */
static void test_threads_do_not_wait_for_missing_chunks(void **state)
{
    (void)state;
    enum { EVENTS = 20 };
    struct rusage before;
    struct rusage after;
    session.shm->policy = OMPTAPE_POLICY_WAIT;
    assert_non_null(session_new_thread());
    leave_memory(session.shm->chunks_offset + OMPTAPE_CHUNK_BYTES);
    while (omptape_pool_alloc_chunk(session.shm) != OMPTAPE_NO_CHUNK ||
           atomic_load(&session.shm->chunks_missing) == 0)
        ;
    assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
    for (int i = 0; i < EVENTS; i++)
        assert_null(session_new_thread());
    assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
    assert_int_equal(atomic_load(&session.shm->dropped_records), EVENTS);
    /* Who waits sleeps. */
    assert_true(after.ru_nvcsw - before.ru_nvcsw < EVENTS);
}

/* Takes what may be taken beyond the limit, and returns how many chunks these are. */
static uint32_t take_chunks(uint32_t threads)
{
    uint32_t taken = 0;
    atomic_store(&session.shm->live_threads, threads);
    while (omptape_pool_alloc_chunk(session.shm) != OMPTAPE_NO_CHUNK)
        taken++;
    return taken;
}

/* As if the program had limited its addresses since (RLIMIT_AS). Only the first segment is mapped then. */
static void test_chunks_beyond_the_limit_are_mapped_when_taken(void **state)
{
    (void)state;
    enum { SEGMENT = 64, THREADS = 2 * SEGMENT, TRIES = 10000 };
    if (getenv("OMPTAPE_TEST_EMULATED") != NULL)
        skip();
    session_refuses_segments = true;
    errno = ENOENT; /* the program's */
    assert_int_equal(take_chunks(THREADS), CHUNKS + SEGMENT);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(atomic_load(&session.shm->chunks_missing), 1);
    /* Many more tries than there are chunks use none up. */
    session_refusals = 0;
    for (unsigned i = 0; i < TRIES; i++)
        assert_int_equal(omptape_pool_alloc_chunk(session.shm), OMPTAPE_NO_CHUNK);
    assert_in_range(session_refusals, 1, TRIES / 100);
    session_refuses_segments = false;
    const uint32_t last = CHUNKS + SEGMENT + 1;
    uint32_t next = OMPTAPE_NO_CHUNK;
    for (unsigned i = 0; i < TRIES && next == OMPTAPE_NO_CHUNK; i++)
        next = omptape_pool_alloc_chunk(session.shm);
    assert_int_equal(next, last);
    assert_int_equal(take_chunks(THREADS), THREADS - SEGMENT - 1);
    /* Both sides see the same chunk. */
    assert_true(omptape_layout_map_chunk(last));
    omptape_layout_chunk(session.shm, last)->number = last;
    const char *chunks = (const char *)session.consumer.shm + session.layout.chunks_offset;
    const char *chunk = chunks + (size_t)(last - 1) * OMPTAPE_CHUNK_BYTES;
    assert_int_equal(((const struct omptape_chunk *)(const void *)chunk)->number, last);
}

static void test_all_chunks_are_mapped_at_once_where_segments_cannot(void **state)
{
    (void)state;
    session_close(&session);
    session_refuses_segments = true;
    session_open(&session, CHUNKS);
    assert_int_equal(take_chunks(OMPTAPE_EXTRA_CHUNKS), session.shm->chunk_count);
    session_refuses_segments = false;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(chunks_that_are_refused_are_dropped_records),
        TEST(pages_ahead_are_made_as_far_as_possible),
        TEST(thread_whose_slot_is_refused_is_counted),
        TEST(threads_do_not_wait_for_missing_chunks),
        TEST(chunks_beyond_the_limit_are_mapped_when_taken),
        TEST(all_chunks_are_mapped_at_once_where_segments_cannot),
    };
    return cmocka_run_group_tests_name("buffer_memory", tests, NULL, NULL);
}
