/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of locations that several threads have, one after the other. Run by CTest as
 * unit.translate_sharing.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/state/locations.h"
#include "writers/state/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIRST_TID = 7000 };

/* The program's first thread; those that come later share, as if there had been many before. */
static void begin_program(void)
{
    put_threads(0);
    translate_pass();
    translate.writer.thread_locations = OMPTAPE_OWN_LOCATIONS;
}

/* A thread that lives from `begin` to `begin` + 10, with a flush in the middle. */
static unsigned live(uint64_t begin, unsigned type)
{
    const unsigned thread = translate_thread(begin);
    struct omptape_record *first = (struct omptape_record *)(void *)translate.slots[thread]->chunk->records;
    first->a = (uint16_t)type;
    first->b = FIRST_TID + thread;
    put_flush(thread, begin + 5);
    return thread;
}

static void die(unsigned thread, uint64_t time)
{
    translate_put(thread, time, OMPTAPE_THREAD_END, 0, 0, 0);
    translate_end_thread(thread);
    translate_pass();
    translate_pass();
}

static void test_in_turn(void **state)
{
    (void)state;
    begin_program();
    die(live(20, ompt_thread_worker), 30);
    die(live(40, ompt_thread_worker), 50);
    assert_int_equal(translate.writer.location_count, 2);
    assert_int_equal(translate.writer.thread_count, 3);
    translate_finish(60);
    translate_expect(1, "25 enter !$omp flush @0x6000\n"
                        "25 leave !$omp flush @0x6000\n"
                        "40 off [ThreadId=7002]\n"
                        "40 on [ThreadId=7002]\n"
                        "45 enter !$omp flush @0x6000\n"
                        "45 leave !$omp flush @0x6000\n");
    assert_int_equal(omptape_locations_lived(&translate.writer, translate.writer.locations[1]), 20);
    translate_expect_readable();
}

/* Those of other types, and those that live at the same time, do not share. */
static void test_apart(void **state)
{
    (void)state;
    begin_program();
    const unsigned one = live(20, ompt_thread_worker);
    const unsigned other = live(22, ompt_thread_worker);
    translate_pass();
    assert_int_equal(translate.writer.location_count, 3);
    die(one, 30);
    die(live(40, ompt_thread_initial), 50);
    assert_int_equal(translate.writer.location_count, 4);
    die(other, 52);
    translate_finish(60);
    translate_expect_readable();
}

/* Where recording is off it stays so. */
static void test_in_a_pause(void **state)
{
    (void)state;
    begin_program();
    die(live(20, ompt_thread_worker), 30);
    put_control(0, 35, OMPTAPE_CONTROL_PAUSE);
    const unsigned later = live(40, ompt_thread_worker);
    translate_pass();
    put_control(0, 47, OMPTAPE_CONTROL_START);
    die(later, 50);
    translate_finish(60);
    translate_expect(1, "25 enter !$omp flush @0x6000\n"
                        "25 leave !$omp flush @0x6000\n"
                        "40 off [ThreadId=7002]\n"
                        "47 on\n");
    translate_expect_readable();
}

/* The kernel's sums of a later thread begin anew; the location's go on. */
static void test_processor_time(void **state)
{
    (void)state;
    begin_program();
    const unsigned one = live(20, ompt_thread_worker);
    translate_pass();
    struct omptape_location *location = translate.writer.locations[1];
    omptape_sched_add(&translate.writer, location,
                      &(struct omptape_sched_reading){.time = 28, .sums = {500, 70}});
    die(one, 30);
    const unsigned later = live(40, ompt_thread_worker);
    translate_pass();
    omptape_sched_add(&translate.writer, location,
                      &(struct omptape_sched_reading){.time = 48, .sums = {100, 3}});
    assert_int_equal(location->sched->latest.sums[OMPTAPE_MEMBER_RUNNING], 600);
    assert_int_equal(location->sched->latest.sums[OMPTAPE_MEMBER_WAITING], 73);
    die(later, 50);
    translate_finish(60);
    translate_expect_readable();
}

/* What both dropped is counted, and marked once. */
static void test_dropped(void **state)
{
    (void)state;
    begin_program();
    const unsigned one = live(20, ompt_thread_worker);
    put_gap(one, 27, 4, 28);
    die(one, 30);
    die(live(40, ompt_thread_worker), 50);
    assert_false(translate.writer.locations[1]->gaps.lossy);
    translate_finish(60);
    translate_expect_readable();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_in_turn, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_apart, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_in_a_pause, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_processor_time, translate_open, translate_close),
        cmocka_unit_test_setup_teardown(test_dropped, translate_open, translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
