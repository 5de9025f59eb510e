/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the pool of device buffers and of the threads that deliver them. Run by CTest as
 * unit.device_buffers, and under the thread sanitizer as unit.device_buffers_tsan.
 */
#include "tests/unit/devices/device_fixture.h"

#include "device/buffers.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 60 };

/* The fixture asks for 8 KiB; a buffer is whole pages, which have up to 64 KiB. */
static size_t buffer_bytes(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return page > 8192 ? page : 8192;
}

static unsigned most_buffers(void)
{
    return (unsigned)((256 << 20) / buffer_bytes());
}

static int setup(void **state)
{
    fake_setup(state);
    fake_initialize(0, NULL, fake_lookup);
    return 0;
}

static uint64_t summary(unsigned which)
{
    omptape_tracing_close_all();
    const struct omptape_record *record = fake_next(OMPTAPE_DEVICE_SUMMARY);
    assert_non_null(record);
    return record->p[which];
}

static void limit_refuses_and_counts(void **state)
{
    (void)state;
    size_t cells;
    struct fake_cell *last = NULL;
    for (unsigned i = 0; i < most_buffers(); i++) {
        last = fake_request(0, &cells);
        assert_non_null(last);
    }
    assert_null(fake_request(0, &cells));
    assert_int_equal(cells, 0);
    fake_complete(0, last, 0, 0, true);
    assert_ptr_equal(fake_request(0, &cells), last);
    assert_int_equal(omptape_device_buffers_outstanding(0), most_buffers());
    assert_int_equal(summary(1), 1);
}

static void buffers_rest_before_they_are_reused(void **state)
{
    (void)state;
    const struct fake_cell *seen[64];
    size_t cells;
    for (unsigned i = 0; i < 64; i++) {
        struct fake_cell *buffer = fake_request(0, &cells);
        seen[i] = buffer;
        for (unsigned j = 1; j <= 4 && j <= i; j++)
            assert_ptr_not_equal(buffer, seen[i - j]);
        fake_complete(0, buffer, 0, 0, true);
    }
    /* But they are reused. */
    assert_in_range((uintptr_t)seen[63] - (uintptr_t)seen[0], 0, 16 * buffer_bytes());
}

static void given_back_twice_counts_once(void **state)
{
    (void)state;
    size_t cells;
    struct fake_cell *buffers[32];
    struct fake_cell *buffer = fake_request(0, &cells);
    fake_complete(0, buffer, 0, 0, true);
    fake_complete(0, buffer, 0, 0, true);
    fake_complete(0, buffer, 0, 0, true);
    for (unsigned i = 0; i < 32; i++) {
        buffers[i] = fake_request(0, &cells);
        for (unsigned j = 0; j < i; j++)
            assert_ptr_not_equal(buffers[i], buffers[j]);
    }
}

static void foreign_buffers_are_ignored(void **state)
{
    (void)state;
    static struct fake_cell own[4];
    size_t cells;
    struct fake_cell *buffer = fake_request(0, &cells);
    void *const foreign[] = {NULL, own, (char *)buffer - buffer_bytes(), (char *)buffer + buffer_bytes(),
                             (void *)UINTPTR_MAX};
    fake_fill_submit(&own[0], 1);
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        fake_complete(0, foreign[i], 0, 1, false);
        fake_complete(0, foreign[i], 0, 1, true);
    }
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 0);
    assert_int_equal(omptape_device_buffers_outstanding(0), 1);
}

static void what_never_came_back_is_taken_at_the_next_opening(void **state)
{
    (void)state;
    size_t cells;
    for (unsigned i = 0; i < 10; i++)
        assert_non_null(fake_request(0, &cells));
    assert_int_equal(summary(5), 10);
    assert_int_equal(omptape_device_buffers_outstanding(0), 10);
    fake_initialize(0, NULL, fake_lookup);
    assert_int_equal(omptape_device_buffers_outstanding(0), 0);
}

static atomic_uint numbers;

/* A runtime's helper: fills buffers and delivers each in two parts, the second one first. */
static void *deliver(void *unused)
{
    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t cells;
        struct fake_cell *buffer = fake_request(0, &cells);
        if (buffer == NULL)
            return NULL;
        for (size_t i = 0; i < cells; i++)
            fake_fill_submit(&buffer[i], atomic_fetch_add(&numbers, 1));
        size_t half = cells / 2;
        fake_complete(0, buffer, half, cells - half, false);
        fake_complete(0, buffer, 0, half, round % 2 == 0);
        if (round % 2 != 0)
            fake_complete(0, buffer, 0, 0, true);
    }
    return &numbers;
}

static void mark_records(unsigned char *seen, unsigned *delivering)
{
    omptape_consumer_refresh(&fake_session.consumer);
    for (uint32_t i = 0; i < fake_session.consumer.stream_count; i++) {
        struct omptape_stream *stream = &fake_session.consumer.streams[i];
        const struct omptape_record *record;
        while (stream->active && (record = session_next(&fake_session, stream)) != NULL) {
            ompt_record_target_kernel_t kernel;
            *delivering += record->kind == OMPTAPE_THREAD_BEGIN && record->a == OMPTAPE_THREAD_DELIVERS;
            if (record->kind != OMPTAPE_DEVICE_RECORD)
                continue;
            memcpy(&kernel, record->p + 3, sizeof(kernel));
            assert_in_range(kernel.host_op_id, 0, atomic_load(&numbers) - 1);
            seen[kernel.host_op_id]++;
        }
    }
}

static void many_threads_deliver_at_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned delivering = 0;
    atomic_store(&numbers, 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, deliver, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    unsigned total = atomic_load(&numbers);
    unsigned char *seen = calloc(total, 1);
    assert_non_null(seen);
    mark_records(seen, &delivering);
    for (unsigned i = 0; i < total; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    assert_int_equal(delivering, THREADS);
    assert_int_equal(omptape_device_buffers_outstanding(0), 0);
    assert_int_equal(summary(3), total);
}

/* What is delivered late is still taken, and no thread reads the clock of a device that is gone. */
static void device_may_end_while_threads_deliver(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned delivering = 0;
    atomic_store(&numbers, 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, deliver, NULL), 0);
    while (atomic_load(&numbers) < 500)
        sched_yield();
    omptape_tracing_close_all();
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    unsigned total = atomic_load(&numbers);
    unsigned char *seen = calloc(total, 1);
    assert_non_null(seen);
    mark_records(seen, &delivering);
    for (unsigned i = 0; i < total; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    assert_int_equal(omptape_device_buffers_outstanding(0), 0);
}

static void *deliver_once(void *begins)
{
    size_t cells;
    struct fake_cell *buffer = fake_request(0, &cells);
    fake_fill_submit(&buffer[0], 1);
    fake_complete(0, buffer, 0, 1, true);
    if (begins != NULL) {
        const struct omptape_slot *delivering = omptape_producer_slot;
        const struct omptape_slot *slot =
            omptape_producer_attach(OMPTAPE_THREAD_BEGIN, (unsigned)ompt_thread_worker);
        /* Its own stream is another, and is not ended with the thread but by its thread_end. */
        return slot != NULL && slot != delivering && slot == omptape_producer_slot ? omptape_producer_slot
                                                                                   : NULL;
    }
    return omptape_producer_slot;
}

static struct omptape_slot *run(void *begins)
{
    pthread_t thread;
    void *slot;
    assert_int_equal(pthread_create(&thread, NULL, deliver_once, begins), 0);
    assert_int_equal(pthread_join(thread, &slot), 0);
    assert_non_null(slot);
    return slot;
}

static void delivering_threads_give_their_slot_back(void **state)
{
    (void)state;
    struct omptape_slot *slot = run(NULL);
    assert_int_equal(atomic_load(&slot->shared->state), OMPTAPE_SLOT_ENDED);
    assert_int_equal(fake_session.shm->live_threads, 1);
    struct omptape_stream *stream = session_stream(&fake_session, slot->index);
    const struct omptape_record *record = session_next(&fake_session, stream);
    assert_int_equal(record->kind, OMPTAPE_THREAD_BEGIN);
    assert_int_equal(record->a, OMPTAPE_THREAD_DELIVERS);
    assert_int_equal(session_next(&fake_session, stream)->kind, OMPTAPE_DEVICE_RECORD);
    assert_int_equal(session_next(&fake_session, stream)->kind, OMPTAPE_THREAD_END);
}

static void delivering_threads_may_become_threads_of_the_runtime(void **state)
{
    (void)state;
    struct omptape_slot *slot = run(&numbers);
    assert_int_equal(atomic_load(&slot->shared->state), OMPTAPE_SLOT_LIVE);
    assert_int_equal(fake_session.shm->live_threads, 2);
    struct omptape_stream *stream = session_stream(&fake_session, slot->index);
    const struct omptape_record *record = session_next(&fake_session, stream);
    assert_int_equal(record->kind, OMPTAPE_THREAD_BEGIN);
    assert_int_equal(record->a, ompt_thread_worker);
    assert_null(session_next(&fake_session, stream));
}

static void threads_with_a_slot_keep_it(void **state)
{
    (void)state;
    const struct omptape_slot *mine = omptape_producer_slot;
    assert_non_null(mine);
    size_t cells;
    struct fake_cell *buffer = fake_request(0, &cells);
    fake_fill_submit(&buffer[0], 1);
    fake_complete(0, buffer, 0, 1, true);
    assert_ptr_equal(omptape_producer_slot, mine);
    assert_non_null(fake_next(OMPTAPE_DEVICE_RECORD));
}

static void after_the_session_nothing_is_recorded(void **state)
{
    (void)state;
    size_t cells;
    struct fake_cell *buffer = fake_request(0, &cells);
    fake_fill_submit(&buffer[0], 1);
    atomic_store(&fake_session.shm->program_state, OMPTAPE_PROGRAM_DONE);
    fake_complete(0, buffer, 0, 1, true);
    assert_int_equal(fake_count(OMPTAPE_DEVICE_RECORD), 0);
    assert_int_equal(omptape_device_buffers_outstanding(0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(limit_refuses_and_counts),
        TEST(buffers_rest_before_they_are_reused),
        TEST(given_back_twice_counts_once),
        TEST(foreign_buffers_are_ignored),
        TEST(what_never_came_back_is_taken_at_the_next_opening),
        TEST(many_threads_deliver_at_once),
        TEST(device_may_end_while_threads_deliver),
        TEST(delivering_threads_give_their_slot_back),
        TEST(delivering_threads_may_become_threads_of_the_runtime),
        TEST(threads_with_a_slot_keep_it),
        TEST(after_the_session_nothing_is_recorded),
    };
    return cmocka_run_group_tests_name("device_buffers", tests, NULL, NULL);
}
