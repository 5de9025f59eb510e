/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of where the time of threads is booked. Every translation checks that all of it is
 * (translate_fixture.c). Run by CTest as unit.translate_times.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/translate/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REGION = 500, TASK = 1000, LOCK = 0x7000, TARGET = 900 };

static uint64_t booked(unsigned location, enum omptape_bucket bucket)
{
    return translate.writer.locations[location]->stack.bucket_ticks[bucket];
}

/* All buckets of a location, in their order; those that are not named are empty. */
static void expect_ticks(unsigned location, const uint64_t ticks[OMPTAPE_BUCKET_COUNT])
{
    for (enum omptape_bucket bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        if (booked(location, bucket) != ticks[bucket])
            fail_msg("location %u: %llu of %s, not %llu", location,
                     (unsigned long long)booked(location, bucket), omptape_buckets[bucket].name,
                     (unsigned long long)ticks[bucket]);
}

#define EXPECT_BOOKS(location, ...)                                                                          \
    expect_ticks(location, (const uint64_t[OMPTAPE_BUCKET_COUNT]){__VA_ARGS__})

static void test_threads_outside_of_regions(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_last_barrier(0, 80, ompt_scope_begin);
    put_last_barrier(0, 85, ompt_scope_end);
    put_team_end(90, REGION, 2);
    translate_put(1, 95, OMPTAPE_THREAD_END, 0, 0, 0);
    translate_end_thread(1);
    translate_finish(100);
    /* The program's thread is there from its beginning to its end, a worker until it ends. */
    EXPECT_BOOKS(
        0, [OMPTAPE_BUCKET_SERIAL] = 20, [OMPTAPE_BUCKET_COMPUTING] = 65, [OMPTAPE_BUCKET_BARRIER] = 5);
    EXPECT_BOOKS(1, [OMPTAPE_BUCKET_IDLE] = 15, [OMPTAPE_BUCKET_COMPUTING] = 70);
    assert_int_equal(translate.writer.locations[1]->end, 95);
}

/* A worker records its last region's end when it is needed again. */
static void test_a_late_worker_is_idle(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_last_barrier(1, 70, ompt_scope_begin);
    put_last_barrier(0, 80, ompt_scope_begin);
    put_last_barrier(0, 85, ompt_scope_end);
    put_member_end(0, 90, REGION);
    put_join(0, 90, REGION);
    put_last_barrier(1, 190, ompt_scope_end);
    put_member_end(1, 190, REGION);
    translate_finish(200);
    EXPECT_BOOKS(
        1, [OMPTAPE_BUCKET_IDLE] = 120, [OMPTAPE_BUCKET_COMPUTING] = 55, [OMPTAPE_BUCKET_BARRIER] = 15);
}

static void put_task_run(uint64_t begin, uint64_t end)
{
    put_schedule(0, begin, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, end, ompt_task_complete, TASK, implicit_of(REGION));
}

/* Whoever waits for tasks may do them; that is no waiting. */
static void test_tasks_within_waits(void **state)
{
    static const unsigned kinds[] = {ompt_sync_region_taskwait, ompt_sync_region_taskgroup,
                                     ompt_sync_region_barrier_explicit};
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        translate_open(NULL);
        start_in_team(REGION, 1);
        put_sync(0, 30, kinds[i], ompt_scope_begin, SITE_BARRIER);
        put_task(0, 35, TASK, 0);
        put_wait(0, 40, kinds[i], ompt_scope_begin, SITE_BARRIER);
        put_task_run(43, 53);
        put_wait(0, 60, kinds[i], ompt_scope_end, SITE_BARRIER);
        put_sync(0, 60, kinds[i], ompt_scope_end, SITE_BARRIER);
        finish_in_team(REGION, 1);
        /* A taskgroup's block is what is around it; a taskwait has no block. */
        bool group = kinds[i] == ompt_sync_region_taskgroup;
        bool tasks = kinds[i] != ompt_sync_region_barrier_explicit;
        EXPECT_BOOKS(0, [OMPTAPE_BUCKET_SERIAL] = 20, [OMPTAPE_BUCKET_COMPUTING] = group ? 60 : 50,
                     [OMPTAPE_BUCKET_TASK_WAIT] = tasks ? group ? 10 : 20 : 0,
                     [OMPTAPE_BUCKET_BARRIER] = tasks ? 0 : 20);
        translate_close(NULL);
    }
    translate_open(NULL);
}

static void test_creating_tasks(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_work(0, 30, ompt_work_taskloop, ompt_scope_begin, 8);
    put_task(0, 33, TASK, 0);
    put_work(0, 40, ompt_work_taskloop, ompt_scope_end, 8);
    /* Its dependences are recorded while it is created. */
    translate_put(0, 50, OMPTAPE_TASK_CREATE, omptape_fold_flags((int)ompt_task_explicit), 1, 2,
                  (uint64_t)TASK + 1, (uint64_t)SITE_TASK);
    translate_put(0, 57, OMPTAPE_TASK_DEPENDENCE, 0, 0, 2, (uint64_t)TASK, (uint64_t)TASK + 1);
    put_flush(0, 60);
    finish_in_team(REGION, 1);
    EXPECT_BOOKS(0, [OMPTAPE_BUCKET_SERIAL] = 20, [OMPTAPE_BUCKET_COMPUTING] = 53,
                 [OMPTAPE_BUCKET_TASK_MANAGEMENT] = 17);
}

/* Waiting for a lock is not holding it; what is done under a lock belongs to what is around. */
static void test_locks(void **state)
{
    (void)state;
    put_threads(0);
    put_mutex(0, 12, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 14, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_mutex(0, 18, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_team(20, REGION, 1);
    put_mutex(0, 30, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 33, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_mutex(0, 35, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, LOCK + 1);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK + 1);
    put_mutex(0, 45, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK + 1);
    put_mutex(0, 50, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    finish_in_team(REGION, 1);
    EXPECT_BOOKS(
        0, [OMPTAPE_BUCKET_SERIAL] = 18, [OMPTAPE_BUCKET_COMPUTING] = 62, [OMPTAPE_BUCKET_LOCK] = 10);
}

static void put_target(uint64_t time, unsigned kind, unsigned endpoint)
{
    translate_put(0, time, OMPTAPE_TARGET, omptape_pack_endpoint(kind, endpoint), 0, 3, (uint64_t)TARGET,
                  (uint64_t)SITE_OTHER, UINT64_C(0));
}

static void put_copy(uint64_t begin, uint64_t end)
{
    const unsigned type = ompt_target_data_transfer_to_device;
    translate_put(0, begin, OMPTAPE_TARGET_DATA_OP, omptape_pack_endpoint(type, ompt_scope_begin), 0x10002, 6,
                  (uint64_t)TARGET + 1, (uint64_t)TARGET, UINT64_C(64), UINT64_C(0x100), UINT64_C(0x200),
                  (uint64_t)SITE_OTHER);
    translate_put(0, end, OMPTAPE_TARGET_DATA_OP, omptape_pack_endpoint(type, ompt_scope_end), 0x10002, 2,
                  (uint64_t)TARGET + 1, UINT64_C(0x200));
}

static void test_target_constructs(void **state)
{
    (void)state;
    put_threads(0);
    put_target(20, ompt_target_update, ompt_scope_begin);
    put_copy(22, 28);
    put_target(30, ompt_target_update, ompt_scope_end);
    put_target(40, ompt_target, ompt_scope_begin);
    put_copy(45, 50);
    put_target(70, ompt_target, ompt_scope_end);
    translate_finish(100);
    EXPECT_BOOKS(
        0, [OMPTAPE_BUCKET_SERIAL] = 50, [OMPTAPE_BUCKET_TRANSFER] = 15, [OMPTAPE_BUCKET_TARGET] = 25);
}

/* Each initial task of a league has a team of its own in LLVM's runtime, whose size is only what its parallel
 * regions may have. */
static void test_nobody_else_is_in_a_team_of_a_league(void **state)
{
    (void)state;
    put_threads(0);
    translate_put(0, 20, OMPTAPE_PARALLEL_BEGIN, omptape_fold_flags((int)ompt_parallel_league), 1, 3,
                  (uint64_t)REGION, (uint64_t)SITE_OTHER, UINT64_C(0));
    translate_put(0, 21, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(ompt_task_initial), 0, 2,
                  (uint64_t)REGION + 1, UINT64_C(1));
    translate_put(0, 22, OMPTAPE_PARALLEL_BEGIN, omptape_fold_flags((int)ompt_parallel_team), 4, 3,
                  (uint64_t)REGION + 2, UINT64_C(0), UINT64_C(0));
    put_member(0, 23, REGION + 2, 0, 4);
    assert_false(translate_pass().blocked);
    put_member_end(0, 40, REGION + 2);
    put_join(0, 41, REGION + 2);
    put_member_end(0, 42, REGION + 1);
    put_join(0, 43, REGION);
    translate_finish(50);
    translate_expect_readable();
    assert_int_equal(translate.writer.incomplete_teams, 0);
    EXPECT_BOOKS(0, [OMPTAPE_BUCKET_SERIAL] = 19, [OMPTAPE_BUCKET_COMPUTING] = 21);
}

/* Of a flight recorder only what its archive holds. */
static void test_a_window(void **state)
{
    (void)state;
    struct omptape_writer *writer = &translate.writer;
    put_threads(1);
    put_flush(1, 15);
    translate_put(1, 18, OMPTAPE_THREAD_END, 0, 0, 0);
    translate_end_thread(1);
    put_team(20, REGION, 1);
    put_flush(0, 40);
    assert_false(translate_pass().blocked);
    writer->window_begin = 40;
    for (uint32_t i = 0; i < writer->location_count; i++)
        omptape_stack_book_from(writer->locations[i], 40);
    put_team_end(90, REGION, 1);
    translate_finish(100);
    EXPECT_BOOKS(0, [OMPTAPE_BUCKET_COMPUTING] = 50, [OMPTAPE_BUCKET_SERIAL] = 10);
    EXPECT_BOOKS(1, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, translate_open, translate_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_threads_outside_of_regions),
        TEST(test_a_late_worker_is_idle),
        TEST(test_tasks_within_waits),
        TEST(test_creating_tasks),
        TEST(test_locks),
        TEST(test_target_constructs),
        TEST(test_nobody_else_is_in_a_team_of_a_league),
        TEST(test_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
