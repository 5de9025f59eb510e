/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what happens within one tick: the order between locations as a reader has it that merges them
 * by time and, where times are equal, by location; times that are to be distinct; clocks with long ticks. Run
 * by CTest as unit.translate_order.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/translate/translate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCK = 0x7000, REGION = 100, INNER = 200, TASK = 1000, OTHER = 1001 };

static int open_distinct(void **state)
{
    int error = translate_open(state);
    translate.writer.archive.step = 1;
    return error;
}

static void finish(void)
{
    translate_finish(100);
    translate_expect_readable();
}

/* Is the text one of the location's lines? */
static void expect_line(unsigned location, const char *line)
{
    if (strstr(translate.text->events[location], line) == NULL)
        fail_msg("location %u has no line %sbut\n%s", location, line, translate.text->events[location]);
}

static void put_request(unsigned thread, uint64_t acquire, uint64_t acquired)
{
    put_mutex(thread, acquire, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(thread, acquired, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
}

/* The release is recorded late, and shown when the next thread had the lock, which is on a lower location. */
static void test_lock_goes_to_a_lower_location(void **state)
{
    (void)state;
    put_threads(1);
    put_request(1, 20, 21);
    put_request(0, 25, 30);
    put_mutex(1, 32, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_mutex(0, 30, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    finish();
    expect_line(1, "21 acquire 0 1\n21 enter !$omp critical sblock @0x5000\n"
                   "30 leave !$omp critical sblock @0x5000\n30 release 0 1\n");
    expect_line(0, "25 enter !$omp critical @0x5000\n31 acquire 0 2\n"
                   "31 enter !$omp critical sblock @0x5000\n31 leave !$omp critical sblock @0x5000\n"
                   "31 release 0 2\n31 leave !$omp critical @0x5000\n");
}

/* Records in time may be in one tick, too; and to a higher location nothing is moved. */
static void test_lock_goes_round_in_one_tick(void **state)
{
    (void)state;
    put_threads(1);
    put_request(1, 20, 21);
    put_mutex(1, 30, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    translate_pass();
    put_request(0, 30, 30);
    put_mutex(0, 30, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    translate_pass();
    put_request(1, 30, 30);
    finish();
    expect_line(1, "30 release 0 1\n");
    expect_line(0, "30 enter !$omp critical @0x5000\n31 acquire 0 2\n");
    expect_line(0, "31 release 0 2\n");
    expect_line(1, "31 acquire 0 3\n");
}

static void test_members_on_both_sides_of_the_fork(void **state)
{
    (void)state;
    put_threads(2);
    put_fork(1, 20, REGION, 3);
    for (unsigned i = 0; i < 3; i++)
        put_member(i, 20, REGION, (i + 2) % 3, 3);
    for (unsigned i = 0; i < 3; i++)
        put_member_end(i, 30, REGION);
    put_join(1, 30, REGION);
    finish();
    expect_line(0, "21 team 1,2,0\n");
    expect_line(1, "20 fork 3\n20 team 1,2,0\n");
    expect_line(2, "20 team 1,2,0\n");
    expect_line(0, "30 endteam 1,2,0\n");
    expect_line(2, "30 endteam 1,2,0\n");
    expect_line(1, "30 endteam 1,2,0\n31 join\n");
}

/* All that is open is written anew at one time. */
static void test_forks_that_recording_begins_in(void **state)
{
    (void)state;
    put_threads(1);
    put_control(0, 15, OMPTAPE_CONTROL_PAUSE);
    put_fork(1, 20, REGION, 2);
    put_member(0, 21, REGION, 1, 2);
    put_member(1, 21, REGION, 0, 2);
    put_control(0, 40, OMPTAPE_CONTROL_START);
    finish();
    expect_line(1, "40 on\n40 fork 2\n40 team 1,0\n");
    expect_line(0, "40 on\n41 team 1,0\n41 enter !$omp parallel @0x1000\n"
                   "41 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n");
}

static void test_task_starts_below_its_creator(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(1, 30, TASK, 0);
    put_schedule(0, 30, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 40, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
    expect_line(1, "30 create 0,1 1 1\n");
    expect_inside(0, "31 switch 0,1 1 1\n31 enter !$omp task @0x3000\n40 leave !$omp task @0x3000\n"
                     "40 complete 0,1 1 1\n40 switch 0,1 0 0\n");
}

/* It is put back by the higher location, whose thread tells so when the lower one has it. */
static void test_untied_task_moves_down(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(1, 30, TASK, (uint32_t)ompt_task_untied);
    put_schedule(1, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 41, ompt_task_yield, TASK, implicit_of(REGION));
    put_schedule(0, 50, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
    expect_line(1, "40 leave !$omp task @0x3000\n40 switch 0,1 1 0\n");
    expect_line(0, "41 switch 0,1 1 1\n41 enter !$omp task @0x3000\n50 leave !$omp task @0x3000\n");
}

/* Its completion is in another stream that is read later. */
static void test_wait_ends_behind_the_completion(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_sync(0, 31, ompt_sync_region_taskwait, ompt_scope_begin, SITE_BARRIER);
    put_schedule(1, 32, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 40, ompt_task_complete, TASK, implicit_of(REGION));
    put_sync(0, 40, ompt_sync_region_taskwait, ompt_scope_end, SITE_BARRIER);
    finish_in_team(REGION, 2);
    expect_line(1, "40 complete 0,1 0 1\n");
    expect_line(0, "31 enter !$omp taskwait @0x2000\n41 leave !$omp taskwait @0x2000\n");
}

static void test_dependent_task_starts_behind_the_completion(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    translate_put(0, 31, OMPTAPE_TASK_CREATE, omptape_fold_flags((int)ompt_task_explicit), 1, 2,
                  (uint64_t)OTHER, (uint64_t)SITE_TASK);
    put_schedule(1, 32, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 40, ompt_task_complete, TASK, implicit_of(REGION));
    translate_pass();
    put_schedule(0, 40, ompt_task_switch, implicit_of(REGION), OTHER);
    finish_in_team(REGION, 2);
    expect_line(1, "40 complete 0,1 0 1\n");
    expect_line(0, "41 switch 0,1 0 2\n41 enter !$omp task @0x3000\n");
}

/* One team whose members do the same in the same ticks: no two lines of a location have one time, causes come
 * first, and the join is behind all. */
static void test_distinct_times(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_task(0, 30, TASK, 0);
    put_schedule(1, 30, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 40, ompt_task_complete, TASK, implicit_of(REGION));
    put_last_barrier(0, 50, ompt_scope_begin);
    put_last_barrier(1, 60, ompt_scope_begin);
    put_last_barrier(0, 60, ompt_scope_end);
    put_member_end(0, 60, REGION);
    put_join(0, 60, REGION);
    put_flush(0, 60);
    put_last_barrier(1, 80, ompt_scope_end);
    put_member_end(1, 80, REGION);
    finish();
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "21 team 0,1\n"
                        "22 enter !$omp parallel @0x1000\n"
                        "30 enter !$omp create task @0x3000\n"
                        "31 create 0,1 0 1\n"
                        "32 leave !$omp create task @0x3000\n"
                        "50 enter !$omp implicit barrier @0x1000\n"
                        "51 enter !$omp wait for team @0x1000\n"
                        "60 leave !$omp wait for team @0x1000\n"
                        "61 leave !$omp implicit barrier @0x1000\n"
                        "62 leave !$omp parallel @0x1000\n"
                        "63 endteam 0,1\n"
                        "67 join\n"
                        "68 enter !$omp flush @0x6000\n"
                        "69 leave !$omp flush @0x6000\n");
    translate_expect(1, "20 team 0,1\n"
                        "21 enter !$omp parallel @0x1000\n"
                        "31 switch 0,1 0 1\n"
                        "32 enter !$omp task @0x3000\n"
                        "40 leave !$omp task @0x3000\n"
                        "41 complete 0,1 0 1\n"
                        "42 switch 0,1 1 0\n"
                        "60 enter !$omp implicit barrier @0x1000\n"
                        "61 enter !$omp wait for team @0x1000\n"
                        "62 leave !$omp wait for team @0x1000\n"
                        "63 leave !$omp implicit barrier @0x1000\n"
                        "64 leave !$omp parallel @0x1000\n"
                        "65 endteam 0,1\n");
    assert_int_equal(translate.writer.last_time, 100);
}

/* Waiting for a chunk, recording off and on, the end: all records count, and the trace lasts as long as they
 * do. */
static void test_distinct_times_of_other_records(void **state)
{
    (void)state;
    put_threads(0);
    put_team(20, REGION, 1);
    translate_put(0, 20, OMPTAPE_STALL, 0, 0, 2, UINT64_C(22), UINT64_C(0));
    put_control(0, 30, OMPTAPE_CONTROL_PAUSE);
    put_control(0, 30, OMPTAPE_CONTROL_START);
    put_control(0, 30, OMPTAPE_CONTROL_END);
    translate.writer.last_time = 30;
    translate_finish(30);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "21 team 0\n"
                        "22 enter !$omp parallel @0x1000\n"
                        "23 flush 23\n"
                        "30 enter omp_control_tool @0x6000 [command=2] [modifier=0]\n"
                        "31 leave omp_control_tool @0x6000\n"
                        "32 off\n"
                        "33 on\n"
                        "34 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n"
                        "35 leave omp_control_tool @0x6000\n"
                        "36 enter omp_control_tool @0x6000 [command=4] [modifier=0]\n"
                        "37 leave omp_control_tool @0x6000\n"
                        "38 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "39 endteam 0\n"
                        "40 join\n"
                        "41 off\n");
    assert_int_equal(translate.writer.last_time, 42); /* the program's region is left */
}

static uint64_t read_slow_clock(void)
{
    return 1000000;
}

/* 100 MHz: ten nanoseconds a tick become sixteen of the trace's. */
static void test_long_ticks(void **state)
{
    (void)state;
    struct omptape_timeline *timeline = &translate.writer.timeline;
    timeline->clock = read_slow_clock;
    timeline->second = 100000000;
    timeline->newest = 0;
    omptape_timeline_refine(timeline);
    assert_int_equal(timeline->scale, 16);
    assert_int_equal(timeline->second, 1600000000);
    put_threads(0);
    translate.writer.begin = omptape_timeline_before(timeline, 10, 0);
    put_flush(0, 20);
    translate_put(0, 21, OMPTAPE_STALL, 0, 0, 2, UINT64_C(30), UINT64_C(0));
    put_gap(0, 40, 7, 50);
    put_flush(0, 60);
    translate_finish(100 * 16);
    translate_expect_readable();
    translate_expect(0, "160 program /bin/test\n"
                        "320 enter !$omp flush @0x6000\n"
                        "321 leave !$omp flush @0x6000\n"
                        "336 flush 480\n"
                        "960 enter !$omp flush @0x6000\n"
                        "961 leave !$omp flush @0x6000\n");
    assert_int_equal(translate.writer.stalled, 9 * 16);
    assert_int_equal(translate.writer.locations[0]->gaps.end, 50 * 16);
    assert_int_equal(omptape_timeline_now(timeline), 16000000);
    assert_int_equal(omptape_timeline_of(timeline, 900000), 14400000);
}

/* Nanoseconds are short enough, and so is a counter that was measured a little too slow. */
static void test_short_ticks(void **state)
{
    (void)state;
    struct omptape_timeline timeline = {.scale = 1, .second = 999999000};
    omptape_timeline_refine(&timeline);
    assert_int_equal(timeline.scale, 1);
    timeline.second = 24000000;
    omptape_timeline_refine(&timeline);
    assert_int_equal(timeline.second, 24000000 * 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
#define DISTINCT(name) cmocka_unit_test_setup_teardown(test_##name, open_distinct, translate_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lock_goes_to_a_lower_location),
        TEST(lock_goes_round_in_one_tick),
        TEST(members_on_both_sides_of_the_fork),
        TEST(forks_that_recording_begins_in),
        TEST(task_starts_below_its_creator),
        TEST(untied_task_moves_down),
        TEST(wait_ends_behind_the_completion),
        TEST(dependent_task_starts_behind_the_completion),
        DISTINCT(distinct_times),
        DISTINCT(distinct_times_of_other_records),
        DISTINCT(long_ticks),
        TEST(short_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
