/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the translation of worksharing, synchronisation and locks. Run by CTest as
 * unit.translate_sync.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/translate/mutex.h"
#include "writers/translate/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCK = 0x7000, OTHER_LOCK = 0x8000 };

/* An initial thread and so many others; nothing is in a team. */
static void finish(void)
{
    translate_finish(100);
    translate_expect_readable();
}

/* The first thread's text, without the line that all have. */
static void expect_first(const char *text)
{
    static const char program[] = "10 program /bin/test\n";
    assert_memory_equal(translate.text->events[0], program, strlen(program));
    assert_string_equal(translate.text->events[0] + strlen(program), text);
}

static void put_locking(unsigned thread, uint64_t acquire, uint64_t acquired, uint64_t released,
                        unsigned kind)
{
    put_mutex(thread, acquire, OMPTAPE_MUTEX_ACQUIRE, kind, LOCK);
    put_mutex(thread, acquired, OMPTAPE_MUTEX_ACQUIRED, kind, LOCK);
    put_mutex(thread, released, OMPTAPE_MUTEX_RELEASED, kind, LOCK);
}

static void test_critical(void **state)
{
    (void)state;
    put_threads(0);
    put_locking(0, 20, 25, 30, ompt_mutex_critical);
    put_locking(0, 40, 41, 42, ompt_mutex_critical);
    finish();
    expect_first("20 enter !$omp critical @0x5000\n"
                 "25 acquire 0 1\n"
                 "25 enter !$omp critical sblock @0x5000\n"
                 "30 leave !$omp critical sblock @0x5000\n"
                 "30 release 0 1\n"
                 "30 leave !$omp critical @0x5000\n"
                 "40 enter !$omp critical @0x5000\n"
                 "41 acquire 0 2\n"
                 "41 enter !$omp critical sblock @0x5000\n"
                 "42 leave !$omp critical sblock @0x5000\n"
                 "42 release 0 2\n"
                 "42 leave !$omp critical @0x5000\n");
}

/* A runtime of tomorrow: what it reports stays whole, under another kind's name. */
static void test_kinds_without_a_name(void **state)
{
    (void)state;
    put_threads(0);
    put_work(0, 20, 79, ompt_scope_begin, 12);
    put_work(0, 30, 79, ompt_scope_end, 12);
    put_sync(0, 40, 77, ompt_scope_begin, SITE_OTHER);
    put_sync(0, 50, 77, ompt_scope_end, SITE_OTHER);
    put_locking(0, 60, 61, 62, 78);
    finish();
    expect_first("20 enter !$omp for @0x4000 [flags=unknown 79] [iterations=12]\n"
                 "30 leave !$omp for @0x4000\n"
                 "40 enter !$omp implicit barrier @0x6000 [flags=unknown 77]\n"
                 "50 leave !$omp implicit barrier @0x6000\n"
                 "60 enter omp_set_lock @0x5000 [flags=unknown 78]\n"
                 "61 acquire 0 1\n"
                 "61 leave omp_set_lock @0x5000\n"
                 "62 enter omp_unset_lock @0x5000\n"
                 "62 release 0 1\n"
                 "62 leave omp_unset_lock @0x5000\n");
}

static void put_row_begin(unsigned thread, uint64_t time)
{
    translate_put(thread, time, OMPTAPE_FLUSHES, omptape_pack_endpoint(0, ompt_scope_begin), 0, 1,
                  (uint64_t)SITE_OTHER);
}

static void put_row_end(unsigned thread, uint64_t time, uint64_t number)
{
    translate_put(thread, time, OMPTAPE_FLUSHES, omptape_pack_endpoint(0, ompt_scope_end), 0, 2, number,
                  (uint64_t)SITE_OTHER);
}

/* Begin and end may be lost, or something come in between: no time is made up, and none is left out. */
static void test_rows_of_flushes(void **state)
{
    (void)state;
    put_threads(0);
    put_row_begin(0, 20);
    put_row_end(0, 30, 7);
    put_row_begin(0, 40);
    put_flush(0, 50);
    put_row_end(0, 60, 8);
    put_row_begin(0, 70);
    put_row_end(0, 71, 1);
    finish();
    expect_first("20 enter !$omp flush @0x6000\n"
                 "30 leave !$omp flush @0x6000 [calls=7]\n"
                 "40 enter !$omp flush @0x6000\n"
                 "40 leave !$omp flush @0x6000\n"
                 "50 enter !$omp flush @0x6000\n"
                 "50 leave !$omp flush @0x6000\n"
                 "60 enter !$omp flush @0x6000\n"
                 "60 leave !$omp flush @0x6000 [calls=8]\n"
                 "70 enter !$omp flush @0x6000\n"
                 "71 leave !$omp flush @0x6000\n");
}

/* libomp gives no return address, or one of its own, with the release. */
static void test_release_without_a_site(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_ordered, LOCK);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_ordered, LOCK);
    translate_put(0, 22, OMPTAPE_MUTEX_RELEASED, ompt_mutex_ordered, 0, 2, (uint64_t)LOCK, UINT64_C(0));
    finish();
    expect_first("20 enter !$omp ordered @0x5000\n"
                 "21 acquire 0 1\n"
                 "21 enter !$omp ordered sblock @0x5000\n"
                 "22 leave !$omp ordered sblock @0x5000\n"
                 "22 release 0 1\n"
                 "22 leave !$omp ordered @0x5000\n");
}

static void test_lock(void **state)
{
    (void)state;
    put_threads(0);
    translate_put(0, 15, OMPTAPE_LOCK_INIT, ompt_mutex_lock, 2U | 5U << 24, 2, (uint64_t)LOCK,
                  (uint64_t)SITE_LOCK);
    put_locking(0, 20, 25, 30, ompt_mutex_lock);
    put_mutex(0, 40, OMPTAPE_LOCK_DESTROY, ompt_mutex_lock, LOCK);
    put_mutex(0, 41, OMPTAPE_LOCK_INIT, ompt_mutex_lock, LOCK);
    put_locking(0, 42, 43, 44, ompt_mutex_lock);
    finish();
    /* The second lock at that address is another one. */
    expect_first("15 enter omp_init_lock @0x5000 [wait id=28672] [hint=2] [implementation=5]\n"
                 "15 leave omp_init_lock @0x5000\n"
                 "20 enter omp_set_lock @0x5000\n"
                 "25 acquire 0 1\n"
                 "25 leave omp_set_lock @0x5000\n"
                 "30 enter omp_unset_lock @0x5000\n"
                 "30 release 0 1\n"
                 "30 leave omp_unset_lock @0x5000\n"
                 "40 enter omp_destroy_lock @0x5000 [wait id=28672]\n"
                 "40 leave omp_destroy_lock @0x5000\n"
                 "41 enter omp_init_lock @0x5000 [wait id=28672] [implementation=0]\n"
                 "41 leave omp_init_lock @0x5000\n"
                 "42 enter omp_set_lock @0x5000\n"
                 "43 acquire 1 1\n"
                 "43 leave omp_set_lock @0x5000\n"
                 "44 enter omp_unset_lock @0x5000\n"
                 "44 release 1 1\n"
                 "44 leave omp_unset_lock @0x5000\n");
}

/* An acquire without acquired. */
static void test_failed_test_lock(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, LOCK);
    put_flush(0, 30);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, LOCK);
    put_locking(0, 41, 42, 43, ompt_mutex_test_lock);
    finish();
    expect_first("20 enter omp_test_lock @0x5000\n"
                 "20 leave omp_test_lock @0x5000\n"
                 "30 enter !$omp flush @0x6000\n"
                 "30 leave !$omp flush @0x6000\n"
                 "40 enter omp_test_lock @0x5000\n"
                 "40 leave omp_test_lock @0x5000\n"
                 "41 enter omp_test_lock @0x5000\n"
                 "42 acquire 0 1\n"
                 "42 leave omp_test_lock @0x5000\n"
                 "43 enter omp_unset_lock @0x5000\n"
                 "43 release 0 1\n"
                 "43 leave omp_unset_lock @0x5000\n");
}

static void put_tests(uint64_t time, uint64_t count)
{
    translate_put(0, time, OMPTAPE_MUTEX_TESTS, ompt_mutex_test_lock, 0, 2, count, (uint64_t)4711);
}

/* A row of tests lasts until the lock is acquired, or until the last test. A row without a request is lost.
 */
static void test_rows_of_tests(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, LOCK);
    put_tests(30, 7);
    put_mutex(0, 31, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_test_lock, LOCK);
    put_mutex(0, 32, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, LOCK);
    put_tests(50, 8);
    put_flush(0, 60);
    put_tests(61, 9);
    put_mutex(0, 70, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, LOCK);
    put_flush(0, 71);
    finish();
    expect_first("20 enter omp_test_lock @0x5000\n"
                 "31 acquire 0 1\n"
                 "31 leave omp_test_lock @0x5000 [calls=7]\n"
                 "32 enter omp_unset_lock @0x5000\n"
                 "32 release 0 1\n"
                 "32 leave omp_unset_lock @0x5000\n"
                 "40 enter omp_test_lock @0x5000\n"
                 "50 leave omp_test_lock @0x5000 [calls=8]\n"
                 "60 enter !$omp flush @0x6000\n"
                 "60 leave !$omp flush @0x6000\n"
                 "70 enter omp_test_lock @0x5000\n"
                 "70 leave omp_test_lock @0x5000\n"
                 "71 enter !$omp flush @0x6000\n"
                 "71 leave !$omp flush @0x6000\n");
}

/* Taking it again is an acquire and a nest_lock begin; giving it back is nest_lock end, then the release. */
static void test_nest_lock(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_nest_lock, LOCK);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_nest_lock, LOCK);
    put_mutex(0, 30, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_nest_lock, LOCK);
    put_mutex(0, 31, OMPTAPE_NEST_LOCK, omptape_pack_endpoint(0, ompt_scope_begin), LOCK);
    put_mutex(0, 40, OMPTAPE_NEST_LOCK, omptape_pack_endpoint(0, ompt_scope_end), LOCK);
    put_mutex(0, 50, OMPTAPE_MUTEX_RELEASED, ompt_mutex_nest_lock, LOCK);
    finish();
    expect_first("20 enter omp_set_nest_lock @0x5000\n"
                 "21 acquire 0 1\n"
                 "21 leave omp_set_nest_lock @0x5000\n"
                 "30 enter omp_set_nest_lock @0x5000\n"
                 "31 leave omp_set_nest_lock @0x5000\n"
                 "40 enter omp_unset_nest_lock @0x5000\n"
                 "40 leave omp_unset_nest_lock @0x5000\n"
                 "50 enter omp_unset_nest_lock @0x5000\n"
                 "50 release 0 1\n"
                 "50 leave omp_unset_nest_lock @0x5000\n");
}

/* The next thread has the lock before the last one tells that it let go: the archive shows the hand-over in
 * the right order. */
static void test_critical_handed_over_before_it_is_told(void **state)
{
    (void)state;
    put_threads(1);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_mutex(1, 25, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(1, 30, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_mutex(0, 32, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_mutex(1, 40, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    finish();
    expect_first("20 enter !$omp critical @0x5000\n"
                 "21 acquire 0 1\n"
                 "21 enter !$omp critical sblock @0x5000\n"
                 "30 leave !$omp critical sblock @0x5000\n"
                 "30 release 0 1\n"
                 "30 leave !$omp critical @0x5000\n");
    translate_expect(1, "25 enter !$omp critical @0x5000\n"
                        "30 acquire 0 2\n"
                        "30 enter !$omp critical sblock @0x5000\n"
                        "40 leave !$omp critical sblock @0x5000\n"
                        "40 release 0 2\n"
                        "40 leave !$omp critical @0x5000\n");
    assert_int_equal(translate.writer.synthesised, 0);
}

static void test_lock_handed_round_before_it_is_told(void **state)
{
    (void)state;
    put_threads(2);
    for (unsigned i = 0; i < 3; i++)
        put_mutex(i, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, LOCK);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(1, 30, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(2, 31, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(0, 40, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    put_mutex(1, 41, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    put_mutex(2, 42, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    finish();
    expect_first("20 enter omp_set_lock @0x5000\n"
                 "21 acquire 0 1\n"
                 "21 leave omp_set_lock @0x5000\n"
                 "30 release 0 1\n"
                 "40 enter omp_unset_lock @0x5000\n"
                 "40 leave omp_unset_lock @0x5000\n");
    translate_expect(1, "20 enter omp_set_lock @0x5000\n"
                        "30 acquire 0 2\n"
                        "30 leave omp_set_lock @0x5000\n"
                        "31 release 0 2\n"
                        "41 enter omp_unset_lock @0x5000\n"
                        "41 leave omp_unset_lock @0x5000\n");
    translate_expect(2, "20 enter omp_set_lock @0x5000\n"
                        "31 acquire 0 3\n"
                        "31 leave omp_set_lock @0x5000\n"
                        "42 enter omp_unset_lock @0x5000\n"
                        "42 release 0 3\n"
                        "42 leave omp_unset_lock @0x5000\n");
}

/* A lock may be given back by another task's thread, or never. */
static void test_locks_held_at_the_end(void **state)
{
    (void)state;
    put_threads(1);
    put_mutex(0, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, LOCK);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(1, 22, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, LOCK);
    finish();
    translate_expect(1, "22 enter omp_set_lock @0x5000\n"
                        "100 leave omp_set_lock @0x5000 [awaited lock=0] [synthesised=1]\n");
}

static void test_acquisition_without_a_request(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 21, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(0, 22, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    put_mutex(0, 30, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, OTHER_LOCK);
    finish();
    expect_first("21 enter omp_set_lock @0x5000\n"
                 "21 acquire 0 1\n"
                 "21 leave omp_set_lock @0x5000\n"
                 "22 enter omp_unset_lock @0x5000\n"
                 "22 release 0 1\n"
                 "22 leave omp_unset_lock @0x5000\n");
}

static void test_loop_with_chunks(void **state)
{
    (void)state;
    put_threads(0);
    put_work(0, 20, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_begin, 30);
    translate_put(0, 21, OMPTAPE_DISPATCH, OMPTAPE_DISPATCH_WS_LOOP_CHUNK, 0, 2, UINT64_C(0), UINT64_C(10));
    translate_put(0, 25, OMPTAPE_DISPATCH, OMPTAPE_DISPATCH_WS_LOOP_CHUNK, 0, 2, UINT64_C(10), UINT64_C(20));
    put_work(0, 30, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_end, 0);
    finish();
    expect_first("20 enter !$omp for @0x4000 [iterations=30]\n"
                 "20 parameter schedule=dynamic\n"
                 "21 enter !$omp for chunk @0x4000 [chunk start=0] [iterations=10]\n"
                 "25 leave !$omp for chunk @0x4000\n"
                 "25 enter !$omp for chunk @0x4000 [chunk start=10] [iterations=20]\n"
                 "30 leave !$omp for chunk @0x4000\n"
                 "30 leave !$omp for @0x4000\n");
    assert_int_equal(translate.writer.synthesised, 0);
}

/* libgomp's interface: the executor's single never ends; the barrier behind it shows that it has. */
static void test_single_without_an_end(void **state)
{
    (void)state;
    put_threads(0);
    put_work(0, 20, ompt_work_single_executor, ompt_scope_begin, 1);
    put_flush(0, 25);
    put_sync(0, 30, ompt_sync_region_barrier_implementation, ompt_scope_begin, SITE_BARRIER);
    put_sync(0, 31, ompt_sync_region_barrier_implementation, ompt_scope_end, SITE_BARRIER);
    finish();
    assert_non_null(strstr(translate.text->events[0], "25 leave !$omp flush @0x6000\n"
                                                      "30 leave !$omp single sblock @0x4000"));
    assert_non_null(strstr(translate.text->events[0], "30 enter !$omp implementation barrier @0x2000\n"
                                                      "31 leave !$omp implementation barrier @0x2000\n"));
}

static void test_single_with_an_end(void **state)
{
    (void)state;
    put_threads(0);
    put_work(0, 20, ompt_work_single_executor, ompt_scope_begin, 1);
    put_work(0, 25, ompt_work_single_executor, ompt_scope_end, 1);
    put_work(0, 30, ompt_work_single_other, ompt_scope_begin, 1);
    put_work(0, 31, ompt_work_single_other, ompt_scope_end, 1);
    finish();
    expect_first("20 enter !$omp single @0x4000\n"
                 "20 enter !$omp single sblock @0x4000\n"
                 "25 leave !$omp single sblock @0x4000\n"
                 "25 leave !$omp single @0x4000\n"
                 "30 enter !$omp single @0x4000\n"
                 "31 leave !$omp single @0x4000\n");
}

static void test_explicit_barrier(void **state)
{
    (void)state;
    put_threads(0);
    put_sync(0, 20, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_wait(0, 21, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_wait(0, 29, ompt_sync_region_barrier_explicit, ompt_scope_end, SITE_BARRIER);
    put_sync(0, 30, ompt_sync_region_barrier_explicit, ompt_scope_end, SITE_BARRIER);
    finish();
    expect_first("20 enter !$omp barrier @0x2000\n"
                 "21 enter !$omp wait for team @0x2000\n"
                 "29 leave !$omp wait for team @0x2000\n"
                 "30 leave !$omp barrier @0x2000\n");
}

/* Nothing opened a frame: its record was dropped. */
static void test_everything_outside_of_any_task(void **state)
{
    (void)state;
    translate_thread(10);
    put_work(0, 20, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_begin, 30);
    translate_put(0, 21, OMPTAPE_DISPATCH, OMPTAPE_DISPATCH_WS_LOOP_CHUNK, 0, 2, UINT64_C(0), UINT64_C(10));
    put_work(0, 30, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_end, 0);
    put_task(0, 31, 1000, 0);
    put_schedule(0, 32, ompt_task_switch, 0, 1000);
    put_schedule(0, 33, ompt_task_complete, 1000, 0);
    put_locking(0, 40, 41, 42, ompt_mutex_critical);
    put_sync(0, 50, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_sync(0, 51, ompt_sync_region_barrier_explicit, ompt_scope_end, SITE_BARRIER);
    put_fork(0, 60, 100, 1);
    put_join(0, 61, 100);
    finish();
    expect_first("20 enter !$omp for @0x4000 [iterations=30]\n"
                 "20 parameter schedule=dynamic\n"
                 "21 enter !$omp for chunk @0x4000 [chunk start=0] [iterations=10]\n"
                 "30 leave !$omp for chunk @0x4000\n"
                 "30 leave !$omp for @0x4000\n"
                 "31 enter !$omp create task @0x3000\n"
                 "31 leave !$omp create task @0x3000\n"
                 "32 enter !$omp task @0x3000\n"
                 "33 leave !$omp task @0x3000\n"
                 "40 enter !$omp critical @0x5000\n"
                 "41 acquire 0 1\n"
                 "41 enter !$omp critical sblock @0x5000\n"
                 "42 leave !$omp critical sblock @0x5000\n"
                 "42 release 0 1\n"
                 "42 leave !$omp critical @0x5000\n"
                 "50 enter !$omp barrier @0x2000\n"
                 "51 leave !$omp barrier @0x2000\n"
                 "60 fork 1\n"
                 "61 join\n");
}

/* A lock for which the runtime gives no name is destroyed like any other. */
static void test_lock_without_a_name(void **state)
{
    (void)state;
    put_threads(0);
    for (uint64_t time = 20; time <= 30; time += 10) {
        put_mutex(0, time, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, 0);
        put_mutex(0, time + 1, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, 0);
        put_mutex(0, time + 2, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, 0);
        put_mutex(0, time + 3, OMPTAPE_LOCK_DESTROY, ompt_mutex_lock, 0);
        assert_int_equal(translate_pass().blocked, false);
        assert_int_equal(translate.writer.locks->by_id.count, 0);
    }
    translate_finish(40);
    assert_non_null(strstr(translate.text->events[0], "21 acquire 0 1\n"));
    assert_non_null(strstr(translate.text->events[0], "31 acquire 1 1\n"));
    translate_expect_readable();
}

/* What each location holds is repeated for omptape top: routines' locks, and a region's own one. */
static void test_held_locks_are_repeated(void **state)
{
    enum { LOCK = 0x77, OTHER = 0x88, FREE = 0x99, CRITICAL = 0xaa };
    static const uint64_t locks[] = {LOCK, FREE, OTHER};
    struct omptape_writer *writer = &translate.writer;
    (void)state;
    put_threads(1);
    for (uint64_t i = 0; i < 3; i++) {
        put_mutex(0, 20 + 2 * i, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, locks[i]);
        put_mutex(0, 21 + 2 * i, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, locks[i]);
    }
    put_mutex(0, 30, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, FREE);
    put_mutex(1, 20, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, CRITICAL);
    put_mutex(1, 25, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, CRITICAL);
    translate_pass();
    omptape_mutex_list_held(writer);
    for (uint32_t i = 0; i < 2; i++)
        omptape_mutex_repeat_routines(writer, writer->locations[i], 40);
    const struct omptape_open_region hold = {.class = OMPTAPE_CLASS_HOLD, .id = CRITICAL};
    omptape_mutex_repeat_hold(writer, writer->locations[0], &hold, 41);
    omptape_mutex_repeat_hold(writer, writer->locations[1], &hold, 41);
    translate_finish(50);
    const char *first = translate.text->events[0];
    const char *second = translate.text->events[1];
    assert_non_null(strstr(first, "40 acquire 0 1\n"));
    assert_non_null(strstr(first, "40 acquire 2 1\n"));
    assert_null(strstr(first, "40 acquire 1 "));
    assert_null(strstr(first, "41 acquire"));
    assert_null(strstr(second, "40 acquire"));
    assert_non_null(strstr(second, "41 acquire 3 1\n"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(critical),
        TEST(kinds_without_a_name),
        TEST(rows_of_flushes),
        TEST(release_without_a_site),
        TEST(lock),
        TEST(failed_test_lock),
        TEST(rows_of_tests),
        TEST(nest_lock),
        TEST(critical_handed_over_before_it_is_told),
        TEST(lock_handed_round_before_it_is_told),
        TEST(locks_held_at_the_end),
        TEST(acquisition_without_a_request),
        TEST(loop_with_chunks),
        TEST(single_without_an_end),
        TEST(single_with_an_end),
        TEST(explicit_barrier),
        TEST(everything_outside_of_any_task),
        TEST(lock_without_a_name),
        TEST(held_locks_are_repeated),
    };
    return cmocka_run_group_tests_name("translate_sync", tests, NULL, NULL);
}
