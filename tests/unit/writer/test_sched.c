/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of where threads' processor time stands among their events. Run by CTest as unit.sched.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/regions/contexts.h"
#include "writers/state/sched.h"
#include "writers/translate/samples.h"
#include "writers/translate/translate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REGION = 7 };

/* The thread was read at `time`. */
static void read_at(unsigned thread, uint64_t time, uint64_t running, uint64_t waiting)
{
    const struct omptape_sched_reading reading = {.time = time, .sums = {running, waiting}};
    omptape_sched_add(&translate.writer, translate.writer.locations[thread], &reading);
}

/* What the location shows of it: the lines of its text with a metric. */
static void expect_values(unsigned location, const char *expected)
{
    char found[4096] = "";
    const char *line = translate.text->events[location];
    while (*line != '\0') {
        size_t length = strcspn(line, "\n") + 1;
        char copy[256];
        snprintf(copy, sizeof(copy), "%.*s", (int)length, line);
        if (strstr(copy, " metric ") != NULL)
            strncat(found, copy, sizeof(found) - strlen(found) - 1);
        line += length;
    }
    assert_string_equal(found, expected);
}

/* Between the events of its time, though all of them come later than the reading. */
static void test_order(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 25, 5, 1);
    put_flush(0, 20);
    put_flush(0, 25);
    put_flush(0, 30);
    translate_finish(100);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "20 enter !$omp flush @0x6000\n"
                        "20 leave !$omp flush @0x6000\n"
                        "25 metric 5 1\n"
                        "25 enter !$omp flush @0x6000\n"
                        "25 leave !$omp flush @0x6000\n"
                        "30 enter !$omp flush @0x6000\n"
                        "30 leave !$omp flush @0x6000\n");
}

/* A region that the initial thread has left, but not yet its worker. */
static void put_region_without_worker(void)
{
    put_threads(1);
    put_team(20, REGION, 2);
    put_last_barrier(1, 30, ompt_scope_begin);
    put_last_barrier(0, 40, ompt_scope_begin);
    put_last_barrier(0, 41, ompt_scope_end);
    put_member_end(0, 42, REGION);
    put_join(0, 43, REGION);
    translate_pass();
}

/* A worker's barrier ends with its region, whatever was read of the worker before it tells that. */
static void test_late_end(void **state)
{
    (void)state;
    put_region_without_worker();
    read_at(1, 60, 3, 4);
    put_last_barrier(1, 70, ompt_scope_end);
    put_member_end(1, 71, REGION);
    put_flush(1, 80);
    translate_finish(100);
    translate_expect_readable();
    assert_non_null(strstr(translate.text->events[1], "42 endteam 0,1\n60 metric 3 4\n80 enter"));
}

/* The worker leaves its processor in the barrier and gets one after the region's end: both readings stay. */
static void test_switch_before_late_end(void **state)
{
    (void)state;
    put_region_without_worker();
    for (uint64_t time = 35; time <= 60; time += 25) {
        const struct omptape_sched_reading reading = {.time = time, .sums = {3, time}};
        omptape_sched_add_at_switch(&translate.writer, translate.writer.locations[1], &reading);
    }
    put_last_barrier(1, 70, ompt_scope_end);
    put_member_end(1, 71, REGION);
    put_flush(1, 80);
    translate_finish(100);
    translate_expect_readable();
    expect_values(1, "35 metric 3 35\n60 metric 3 60\n");
    assert_non_null(strstr(translate.text->events[1], "42 endteam 0,1\n60 metric 3 60\n80 enter"));
}

/* The creation of a task ends where it began, and so does a lock that was not got. */
static void test_zero_lengths(void **state)
{
    (void)state;
    put_threads(0);
    put_team(20, REGION, 1);
    put_task(0, 30, 5, ompt_task_explicit);
    translate_pass();
    read_at(0, 35, 1, 0);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_test_lock, 0x7000);
    translate_pass();
    read_at(0, 45, 2, 0);
    put_flush(0, 50);
    put_team_end(60, REGION, 1);
    translate_finish(100);
    translate_expect_readable();
    assert_non_null(strstr(translate.text->events[0], "30 leave !$omp create task @0x3000\n35 metric 1 0\n"));
    assert_non_null(strstr(translate.text->events[0], "40 leave omp_test_lock @0x5000\n45 metric 2 0\n"));
}

/* Nothing stands between MeasurementOnOff (off) and (on). */
static void test_pause(void **state)
{
    (void)state;
    put_threads(0);
    put_control(0, 20, OMPTAPE_CONTROL_PAUSE);
    translate_pass();
    read_at(0, 30, 1, 1);
    put_flush(0, 40);
    translate_pass();
    read_at(0, 50, 2, 2);
    put_control(0, 60, OMPTAPE_CONTROL_START);
    put_flush(0, 70);
    translate_pass();
    read_at(0, 80, 3, 3);
    put_control(0, 90, OMPTAPE_CONTROL_PAUSE);
    translate_finish(100);
    translate_expect_readable();
    expect_values(0, "80 metric 3 3\n");
}

/* The last one is kept, and the end is no earlier than all that the thread did. */
static void test_end(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    read_at(0, 20, 7, 0);
    read_at(1, 30, 8, 0);
    read_at(1, 50, 8, 0);
    read_at(1, 120, 9, 0);
    put_flush(0, 25);
    translate_end_thread(0);
    translate_finish(100);
    translate_expect_readable();
    expect_values(0, "20 metric 7 0\n");
    expect_values(1, "30 metric 8 0\n100 metric 9 0\n");
    assert_int_equal(translate.writer.locations[0]->end, 100);
    assert_int_equal(translate.writer.locations[1]->end, 100);
}

/* A thread that goes on for 18 ms after its last reading did not sleep meanwhile, as far as is known. */
static void test_reading_long_before_end(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    read_at(1, 30, 8, 0);
    put_flush(1, 40);
    translate_pass();
    read_at(1, 80000000, 79000000, 0);
    put_flush(1, 81000000);
    translate_pass();
    read_at(1, 82000000, 81000000, 0);
    put_flush(1, 100000000);
    translate_finish(100000100);
    translate_expect_readable();
    expect_values(1, "30 metric 8 0\n80000000 metric 79000000 0\n");
}

/* What the first reading counts of the time before the location's begin is not taken off what is slept then.
 */
static void test_before_begin(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 20000010, 10000000, 90000000);
    read_at(0, 120000010, 10000000, 90000000);
    translate_finish(120000010);
    const uint64_t *ticks = translate.writer.locations[0]->stack.bucket_ticks;
    assert_int_equal(ticks[OMPTAPE_BUCKET_BLOCKED], 100000000);
    assert_int_equal(ticks[OMPTAPE_BUCKET_RUNNABLE], 10000000);
    assert_int_equal(ticks[OMPTAPE_BUCKET_SERIAL], 10000000);
}

/* What says less is another thread's that has the number now. */
static void test_number_taken_again(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 20, 70, 7);
    read_at(0, 30, 2, 1);
    translate_finish(100);
    expect_values(0, "20 metric 70 7\n");
}

/* What was reckoned from context switches may be a little more than the kernel counts: the rest is taken. */
static void test_after_a_switch(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 20, 1000000000, 5000000);
    const struct omptape_sched_reading reckoned = {.time = 30, .sums = {1010000000, 5100000}};
    omptape_sched_add_at_switch(&translate.writer, translate.writer.locations[0], &reckoned);
    read_at(0, 40, 1050000000, 5090000);
    const struct omptape_sched_reading *latest = &translate.writer.locations[0]->sched->latest;
    assert_int_equal(latest->time, 40);
    assert_int_equal(latest->sums[OMPTAPE_MEMBER_RUNNING], 1050000000);
    assert_int_equal(latest->sums[OMPTAPE_MEMBER_WAITING], 5100000);
    read_at(0, 50, 900000000, 0);
    assert_int_equal(latest->time, 40);
    translate_finish(100);
}

/* Another thread goes on with the location (a worker of libgomp's): its time is added to the first one's. */
static void test_another_thread(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 20, 70, 7);
    put_flush(0, 22);
    translate_put(0, 75, OMPTAPE_THREAD_BEGIN, ompt_thread_worker, 4711, 0);
    put_flush(0, 76);
    translate_pass();
    read_at(0, 90, 30, 3);
    translate_finish(100);
    translate_expect_readable();
    /* From its last reading to its last event the first one counts as running, but not to the other's begin.
     */
    expect_values(0, "20 metric 70 7\n22 metric 72 7\n75 metric 72 7\n90 metric 102 10\n");
    assert_int_equal(translate.writer.locations[0]->tid, 4711);
}

/* Several in turn that end before they are read: none of them runs before it begins. */
static void test_unread_threads(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    read_at(0, 20, 70, 7);
    put_flush(0, 22);
    translate_put(0, 60, OMPTAPE_THREAD_BEGIN, ompt_thread_worker, 4711, 0);
    put_flush(0, 61);
    put_flush(0, 64);
    translate_put(0, 95, OMPTAPE_THREAD_BEGIN, ompt_thread_worker, 4712, 0);
    put_flush(0, 96);
    translate_finish(100);
    translate_expect_readable();
    expect_values(0, "20 metric 70 7\n22 metric 72 7\n60 metric 72 7\n64 metric 76 7\n95 metric 76 7\n");
}

static const uint64_t tick_ns = 100000000;

/* The thread was read every tenth of a second, and ran for `share` of each. Returns the time. */
static uint64_t read_for(unsigned thread, uint64_t time, unsigned ticks, double share, uint64_t *running)
{
    for (unsigned i = 0; i < ticks; i++) {
        time += tick_ns;
        *running += (uint64_t)(share * (double)tick_ns);
        read_at(thread, time, *running, 0);
    }
    return time;
}

static unsigned count_values(unsigned location)
{
    unsigned count = 0;
    for (const char *at = translate.text->events[location]; (at = strstr(at, " metric ")) != NULL; at++)
        count++;
    return count;
}

/* A thread that sleeps for three seconds and then computes for three: the moment of the change is there,
 * though it came long before it was seen to be one. */
static void test_change(void **state)
{
    (void)state;
    uint64_t running = 0;
    put_threads(0);
    translate_pass();
    uint64_t time = read_for(0, 10, 30, 0, &running);
    const uint64_t change = time;
    time = read_for(0, time, 30, 1, &running);
    translate_finish(time + 1);
    char expected[64];
    snprintf(expected, sizeof(expected), "%" PRIu64 " metric 0 0\n", change);
    assert_non_null(strstr(translate.text->events[0], expected));
}

/* One that computes half of the time, evenly, has no more values than its age asks for; what is off by less
 * than the tolerance is no change. */
static void test_steady(void **state)
{
    (void)state;
    uint64_t running = 0;
    uint64_t time = 10;
    put_threads(0);
    translate_pass();
    for (unsigned i = 0; i < 300; i++)
        time = read_for(0, time, 1, i % 2 == 0 ? 0.45 : 0.55, &running);
    translate_finish(time + 1);
    assert_in_range(count_values(0), 8, 40);
}

/* Of more changes than there is room for the last ones are there, too, and none are invented. */
static void test_many_changes(void **state)
{
    (void)state;
    uint64_t running = 0;
    uint64_t time = 10;
    put_threads(0);
    translate_pass();
    for (unsigned i = 0; i < 3000; i++)
        time = read_for(0, time, 10, i % 2, &running);
    translate_finish(time + 1);
    translate_expect_readable();
    assert_in_range(count_values(0), OMPTAPE_MAX_SCHED_READINGS / 2, OMPTAPE_MAX_SCHED_READINGS + 1);
}

/* System time changes alone: the thread runs all the time. */
static void test_system_time(void **state)
{
    (void)state;
    struct omptape_sched_reading reading = {.time = 10};
    put_threads(0);
    translate_pass();
    for (unsigned i = 0; i < 60; i++) {
        reading.time += tick_ns;
        reading.sums[OMPTAPE_MEMBER_RUNNING] += tick_ns;
        reading.sums[OMPTAPE_MEMBER_SYSTEM] += i < 47 ? 0 : tick_ns;
        omptape_sched_add(&translate.writer, translate.writer.locations[0], &reading);
    }
    translate_finish(reading.time + 1);
    assert_non_null(strstr(translate.text->events[0], "\n4700000010 metric "));
}

/* A thread that computes for an hour without an event, and one that sleeps. */
static void test_few_events(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    for (uint64_t tick = 1; tick <= 36000; tick++) {
        read_at(0, 10 + tick * 100, tick, 0);
        read_at(1, 10 + tick * 100, 1, 0);
    }
    put_flush(0, 3700000);
    translate_finish(3700001);
    assert_in_range(count_values(0), 40, OMPTAPE_MAX_SCHED_READINGS + 1);
    assert_in_range(count_values(1), 1, 2);
}

/* As many values as events pay for: one for 256 of them. */
static void test_many_events(void **state)
{
    (void)state;
    enum { TICKS = 200, FLUSHES = 64 };
    put_threads(0);
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        for (unsigned i = 0; i < FLUSHES; i++)
            put_flush(0, 1000 * tick + i);
        translate_pass();
        read_at(0, 1000 * tick + FLUSHES, tick, 0);
    }
    translate_finish(1000 * TICKS + 500);
    /* Two events a flush. The first ones are due for the location's youth. */
    assert_in_range(count_values(0), TICKS * FLUSHES * 2 / 256 - 1, TICKS * FLUSHES * 2 / 256 + 20);
}

static uint32_t queue_sample(unsigned thread, uint64_t time)
{
    struct omptape_location *location = translate.writer.locations[thread];
    const OTF2_CallingContextRef context =
        omptape_contexts_child(translate.writer.contexts, OTF2_UNDEFINED_CALLING_CONTEXT,
                               OMPTAPE_CONTEXT_KEY(OMPTAPE_CONTEXT_RUNTIME, 0));
    omptape_samples_queue(location, time, (struct omptape_sample){.context = context, .timed = true});
    return location->samples.count;
}

/* What comes before a time is written for a thread at work, and waits for the next record of one that waits
 * or whose team has ended: its end, which is earlier, may follow. */
static void test_advance(void **state)
{
    enum { THREADS = 3, WAITS = 1, IS_LATE = 2 };
    (void)state;
    start_in_team(REGION, THREADS);
    put_sync(WAITS, 30, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    translate_pass();
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(queue_sample(i, 40), 1);
    omptape_translate_advance(&translate.writer, 40);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(translate.writer.locations[i]->samples.count, 1);
    omptape_translate_advance(&translate.writer, 50);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(translate.writer.locations[i]->samples.count, i == WAITS);
    put_sync(WAITS, 55, ompt_sync_region_barrier_explicit, ompt_scope_end, SITE_BARRIER);
    put_member_end(WAITS, 60, REGION);
    put_member_end(0, 60, REGION);
    put_join(0, 60, REGION);
    translate_pass();
    assert_int_equal(queue_sample(IS_LATE, 65), 1);
    omptape_translate_advance(&translate.writer, 70);
    assert_int_equal(translate.writer.locations[IS_LATE]->samples.count, 1);
    put_member_end(IS_LATE, 80, REGION);
    translate_finish(100);
    translate_expect_readable();
    /* The sample of 65 moved nothing: the region has ended where the others left it. */
    assert_non_null(strstr(translate.text->events[IS_LATE], "60 leave !$omp parallel @0x1000\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_late_end, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_switch_before_late_end, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_zero_lengths, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_pause, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_end, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_reading_long_before_end, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_before_begin, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_number_taken_again, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_after_a_switch, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_another_thread, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_unread_threads, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_change, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_steady, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_many_changes, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_system_time, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_few_events, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_many_events, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_advance, translate_open, translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
