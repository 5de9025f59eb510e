/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the buffers' users do to each other: several threads that wait for chunks and watch the
 * writer's heart. Run by CTest as unit.buffer_threads.
 */
#include "buffers/writer_monitor.h"
#include "tests/unit/session_fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 4, MAX_THREADS = 16 };

static struct session session;
static atomic_bool stop;

static int open_session(void **state)
{
    (void)state;
    atomic_store(&stop, false);
    session_open(&session, CHUNKS);
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    session_close(&session);
    return 0;
}

/* Seconds since some moment. */
static double now(void)
{
    return (double)omptape_clock_raw_ns() * 1e-9;
}

static void *watch_heart(void *unused)
{
    (void)unused;
    uintptr_t verdicts = 0;
    while (!atomic_load(&stop))
        verdicts += omptape_writer_monitor_is_lost(session.shm);
    return (void *)verdicts;
}

static void test_beating_heart_is_never_taken_for_dead(void **state)
{
    (void)state;
    enum { WATCHERS = 4 };
    pthread_t threads[WATCHERS];
    for (unsigned i = 0; i < WATCHERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch_heart, NULL), 0);
    for (double end = now() + 1; now() < end; usleep(20))
        atomic_fetch_add(&session.shm->heartbeat, 1);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < WATCHERS; i++) {
        void *verdicts;
        assert_int_equal(pthread_join(threads[i], &verdicts), 0);
        assert_null(verdicts);
    }
}

enum { RECORDS_A_THREAD = 20000 };
static atomic_uint arrived;
static unsigned thread_count;

static void *record_many(void *argument)
{
    (void)argument;
    uintptr_t dropped = 0;
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_THREAD_BEGIN, 0);
    /* All have their first chunk before the first one needs another. */
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < thread_count)
        usleep(100); /* between two looks */
    for (uint64_t i = 0; i < RECORDS_A_THREAD; i++)
        dropped += !session_put(slot, 8, i);
    omptape_producer_detach();
    return (void *)dropped;
}

/* Reads all streams until `threads` of them have ended, 100 s at most. Returns how many did. */
static unsigned drain(unsigned threads, uint64_t *records)
{
    unsigned ended = 0;
    for (double end = now() + 100; ended < threads && now() < end;) {
        atomic_fetch_add(&session.shm->heartbeat, 1);
        omptape_consumer_refresh(&session.consumer);
        for (uint32_t i = 0; i < session.consumer.stream_count; i++) {
            struct omptape_stream *stream = &session.consumer.streams[i];
            const struct omptape_record *record;
            if (!stream->active)
                continue;
            while ((record = session_next(&session, stream)) != NULL)
                *records += record->kind == OMPTAPE_FLUSH;
            ended += omptape_consumer_finish(&session.consumer, stream, &(uint64_t){0});
        }
    }
    return ended;
}

static void test_more_threads_than_chunks_go_on(void **state)
{
    (void)state;
    pthread_t threads[MAX_THREADS];
    uint64_t records = 0;
    atomic_store(&arrived, 0);
    thread_count = MAX_THREADS;
    for (unsigned i = 0; i < MAX_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_many, NULL), 0);
    unsigned ended = drain(MAX_THREADS, &records);
    /* If they wait for ever, let them go. */
    atomic_store(&session.shm->program_state, OMPTAPE_PROGRAM_DONE);
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        void *dropped;
        assert_int_equal(pthread_join(threads[i], &dropped), 0);
        assert_null(dropped);
    }
    assert_int_equal(ended, MAX_THREADS);
    assert_int_equal(records, (uint64_t)MAX_THREADS * RECORDS_A_THREAD);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_session, close_session)
    const struct CMUnitTest tests[] = {
        TEST(beating_heart_is_never_taken_for_dead),
        TEST(more_threads_than_chunks_go_on),
    };
    return cmocka_run_group_tests_name("buffer_threads", tests, NULL, NULL);
}
