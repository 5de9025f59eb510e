/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the trace's time over long tracks: records a week apart, counters that start high, clocks
 * that go back. Run by CTest as unit.timeline, with a clock of the tests' own.
 */
#include "src/core/clock.h"
#include "tests/unit/translate/translate_script.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(10000000000) /* a counter of 10 GHz */
#define HOUR (3600 * SECOND)
#define WEEK (7 * 24 * HOUR)

enum { REGION = 100 };

static uint64_t clock_reading;

static uint64_t read_test_clock(void)
{
    return clock_reading;
}

static int open_at_some_time(void **state)
{
    int status = translate_open(state);
    translate.writer.timeline.clock = read_test_clock;
    translate.writer.timeline.second = SECOND;
    translate.writer.timeline.newest = 0;
    clock_reading = 1000 * WEEK;
    return status;
}

/* The program's thread 0 did nothing but flush at these times. */
static void expect_flushes(uint64_t begin, unsigned count, const uint64_t *times)
{
    char text[2048];
    int used = snprintf(text, sizeof(text), "%" PRIu64 " program /bin/test\n", begin);
    for (unsigned i = 0; i < count; i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used,
                         "%" PRIu64 " enter !$omp flush @0x6000\n%" PRIu64 " leave !$omp flush @0x6000\n",
                         times[i], times[i]);
    translate_expect(0, text);
    translate_expect_readable();
}

static void test_records_a_week_apart(void **state)
{
    (void)state;
    const uint64_t times[] = {20, WEEK, WEEK + 1, 4 * WEEK, 52 * WEEK};
    put_initial_thread(10);
    for (unsigned i = 0; i < 5; i++)
        put_flush(0, times[i]);
    translate_finish(53 * WEEK);
    expect_flushes(10, 5, times);
    assert_int_equal(translate.writer.timeline.jumps, 0);
}

static void test_counter_starts_high(void **state)
{
    (void)state;
    const uint64_t start = (UINT64_C(1) << 63) - WEEK;
    const uint64_t times[] = {start + 1, start + WEEK - 1, start + WEEK, start + 2 * WEEK};
    clock_reading = start + 5 * WEEK;
    put_initial_thread(start);
    for (unsigned i = 0; i < 4; i++)
        put_flush(0, times[i]);
    translate_finish(start + 5 * WEEK);
    expect_flushes(start, 4, times);
    assert_int_equal(translate.writer.last_time, start + 5 * WEEK);
}

/* A thread that moves to a processor whose counter is a little behind. */
static void test_back_by_a_little(void **state)
{
    (void)state;
    const uint64_t shown[] = {HOUR, HOUR, HOUR + 5, HOUR + 5};
    put_initial_thread(10);
    put_flush(0, HOUR);
    put_flush(0, HOUR - SECOND / 1000);
    put_flush(0, HOUR + 5);
    put_flush(0, HOUR + 5 - SECOND);
    translate_finish(2 * HOUR);
    expect_flushes(10, 4, shown);
    assert_int_equal(translate.writer.timeline.jumps, 0);
}

/* A counter that starts anew, though the writer's own clock does not show it. */
static void test_stream_goes_back_by_hours(void **state)
{
    (void)state;
    const uint64_t shown[] = {20 * HOUR, 20 * HOUR, 20 * HOUR + 7, 21 * HOUR, 21 * HOUR, 21 * HOUR + 3};
    put_initial_thread(10);
    put_flush(0, 20 * HOUR);
    put_flush(0, SECOND);
    translate_pass();
    put_flush(0, SECOND + 7);
    put_flush(0, SECOND + HOUR);
    put_flush(0, 100);
    put_flush(0, 103);
    translate_finish(30 * HOUR);
    expect_flushes(10, 6, shown);
    assert_int_equal(translate.writer.timeline.jumps, 2);
}

/* Two threads work, the machine is suspended, its counters start anew: the second was idle for long, and what
 * the first recorded last is not read yet. */
static void test_clock_goes_back_for_all(void **state)
{
    (void)state;
    clock_reading = 100 * HOUR;
    put_initial_thread(10);
    translate_thread(10);
    put_flush(0, 99 * HOUR);
    translate_pass();
    put_flush(0, 100 * HOUR + 40);
    clock_reading = 5000;
    const uint64_t fork = 100 * HOUR + SECOND - 4000;
    put_team(1000, REGION, 2);
    translate_pass();
    clock_reading = 6000;
    put_flush(1, 1500);
    put_team_end(5500, REGION, 2);
    translate_finish(101 * HOUR);
    char text[512];
    snprintf(text, sizeof(text),
             "%" PRIu64 " team 0,1\n%" PRIu64 " enter !$omp parallel @0x1000\n"
             "%" PRIu64 " enter !$omp flush @0x6000\n%" PRIu64 " leave !$omp flush @0x6000\n"
             "%" PRIu64 " leave !$omp parallel @0x1000\n%" PRIu64 " endteam 0,1\n",
             fork, fork, fork + 500, fork + 500, fork + 4500, fork + 4500);
    translate_expect(1, text);
    snprintf(text, sizeof(text), "%" PRIu64 " leave !$omp flush @0x6000\n%" PRIu64 " fork 2\n",
             100 * HOUR + 40, fork);
    assert_non_null(strstr(translate.text->events[0], text));
    translate_expect_readable();
    assert_int_equal(translate.writer.timeline.jumps, 1);
}

/* A thread that begins after the clock went back, and the program's end. */
static void test_all_after_it_have_its_offset(void **state)
{
    (void)state;
    const uint64_t back = 100 * HOUR + SECOND;
    clock_reading = 100 * HOUR;
    put_initial_thread(10);
    put_flush(0, 99 * HOUR);
    translate_pass();
    clock_reading = 300;
    translate_pass();
    translate_thread(400);
    put_flush(1, 500);
    put_flush(0, 450);
    clock_reading = 600;
    translate_pass();
    assert_int_equal(omptape_timeline_of(&translate.writer.timeline, 550), back + 250);
    assert_int_equal(omptape_timeline_of(&translate.writer.timeline, 100 * HOUR - 5), 100 * HOUR - 5);
    assert_int_equal(translate.writer.last_time, back + 200);
    translate_finish(101 * HOUR);
    const uint64_t shown[] = {99 * HOUR, back + 150};
    expect_flushes(10, 2, shown);
}

static void test_waiting_goes_with_its_record(void **state)
{
    (void)state;
    put_initial_thread(10);
    put_flush(0, 20 * HOUR);
    put_flush(0, 100);
    translate_put(0, 200, OMPTAPE_STALL, 0, 0, 2, UINT64_C(300), UINT64_C(0));
    translate_finish(30 * HOUR);
    char text[80];
    snprintf(text, sizeof(text), "%" PRIu64 " flush %" PRIu64 "\n", 20 * HOUR + 100, 20 * HOUR + 200);
    assert_non_null(strstr(translate.text->events[0], text));
    assert_int_equal(translate.writer.stalled, 100);
}

/* The program wrote over a record: those behind it keep their own times. */
static void test_damage_passes(void **state)
{
    (void)state;
    const uint64_t shown[] = {HOUR, HOUR, HOUR + 10, HOUR + 49, HOUR + 49};
    clock_reading = HOUR + 50;
    put_initial_thread(10);
    put_flush(0, HOUR);
    put_flush(0, 0);
    put_flush(0, HOUR + 10);
    put_flush(0, UINT64_MAX - 3);
    put_flush(0, HOUR + 20);
    translate_finish(2 * HOUR);
    expect_flushes(10, 5, shown);
}

static void test_rate_is_measured_anew(void **state)
{
    (void)state;
    struct omptape_timeline timeline;
    struct omptape_clock_anchor anchor;
    omptape_clock_use(omptape_clock_choose());
    omptape_clock_anchor(&anchor);
    omptape_timeline_start(&timeline, anchor.ticks, anchor.raw_ns, 0);
    uint64_t rate = omptape_timeline_resolution(&timeline);
    assert_in_range(rate, 1000000, UINT64_C(100000000000));
    /* A start that is later than now, or that is no time at all. */
    const uint64_t starts[][2] = {
        {anchor.ticks * 2, anchor.raw_ns}, {anchor.ticks, anchor.raw_ns * 2}, {UINT64_MAX, UINT64_MAX}};
    for (unsigned i = 0; i < 3; i++) {
        omptape_timeline_start(&timeline, starts[i][0], starts[i][1], 0);
        uint64_t again = omptape_timeline_resolution(&timeline);
        assert_in_range(again, rate - rate / 100, rate + rate / 100);
    }
    /* Since the clock went back, the time from the start says nothing. */
    omptape_timeline_start(&timeline, anchor.ticks / 2, anchor.raw_ns, 0);
    timeline.jumps = 1;
    uint64_t again = omptape_timeline_resolution(&timeline);
    assert_in_range(again, rate - rate / 100, rate + rate / 100);
}

/* At any moment: a rate that the session knows is returned; one that no clock has is measured. */
static void test_rate_that_is_known(void **state)
{
    (void)state;
    struct omptape_timeline timeline;
    struct omptape_clock_anchor anchor;
    omptape_clock_use(omptape_clock_choose());
    omptape_clock_anchor(&anchor);
    omptape_timeline_start(&timeline, anchor.ticks / 2, anchor.raw_ns, 123456789);
    assert_int_equal(123456789, omptape_timeline_resolution(&timeline));
    assert_int_equal(5000000000 - 123456789, omptape_timeline_before(&timeline, 5000000000, 1000000000));
    omptape_timeline_refine(&timeline);
    assert_int_equal(8 * 123456789, omptape_timeline_resolution(&timeline));
    omptape_timeline_start(&timeline, anchor.ticks, anchor.raw_ns, 0);
    uint64_t rate = omptape_timeline_resolution(&timeline);
    const uint64_t impossible[] = {1, UINT64_C(1) << 40, UINT64_MAX};
    for (unsigned i = 0; i < 3; i++) {
        omptape_timeline_start(&timeline, anchor.ticks, anchor.raw_ns, impossible[i]);
        assert_in_range(omptape_timeline_resolution(&timeline), rate - rate / 100, rate + rate / 100);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_at_some_time, translate_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_a_week_apart),
        TEST(counter_starts_high),
        TEST(back_by_a_little),
        TEST(stream_goes_back_by_hours),
        TEST(clock_goes_back_for_all),
        TEST(all_after_it_have_its_offset),
        TEST(waiting_goes_with_its_record),
        TEST(damage_passes),
        cmocka_unit_test(test_rate_is_measured_anew),
        cmocka_unit_test(test_rate_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
