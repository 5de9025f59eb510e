/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the program itself on the first location: ProgramBegin, the region that all else is in, and
 * ProgramEnd, in each way that an archive begins and ends. Run by CTest as unit.program.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/finish.h"
#include "writers/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { REGION = 100, PID = 4711, BEGIN = 5 };

static int open_program(void **state)
{
    int status = translate_open(state);
    translate.settings.pid = PID;
    translate.writer.begin = BEGIN;
    translate.writer.timeline.second = 1000000000;
    archive_text_shows_program = true;
    return status;
}

static int close_program(void **state)
{
    archive_text_shows_program = false;
    return translate_close(state);
}

/* The archive is completed at `time` as the writer does it. */
static void finish(uint64_t time, bool over, bool known, int64_t status)
{
    struct omptape_writer *writer = &translate.writer;
    const struct omptape_ending ending = {
        .text = "a test", .time = time, .status = status, .program_over = over, .end_known = known};
    writer->final = true;
    writer->final_horizon = UINT64_MAX;
    omptape_merge_pass(writer);
    omptape_finish(writer, &ending);
    assert_string_equal(writer->archive.error, "");
    translate.text = archive_text_read(translate.folder);
    translate_expect_readable();
}

/* The first thread is the program's. */
static void put_main_thread(uint64_t time)
{
    put_initial_thread(time);
    ((struct omptape_record *)(void *)translate.slots[0]->chunk->records)->b = PID;
}

static void test_before_the_first_event(void **state)
{
    (void)state;
    put_main_thread(10);
    put_flush(0, 20);
    finish(90, true, true, 3);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "20 enter !$omp flush @0x6000\n"
                        "20 leave !$omp flush @0x6000\n"
                        "90 leave test\n"
                        "90 endprogram 3\n");
}

static void test_without_events(void **state)
{
    (void)state;
    finish(90, true, true, 137);
    assert_int_equal(translate.text->locations, 1);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "90 leave test\n"
                        "90 endprogram 137\n");
}

static void test_open_regions_end_first(void **state)
{
    (void)state;
    put_main_thread(10);
    put_team(20, REGION, 1);
    finish(90, true, true, 137);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "90 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "90 endteam 0\n"
                        "90 join\n"
                        "90 leave test\n"
                        "90 endprogram 137\n");
}

/* As an archive of a checkpoint has it. */
static void test_unknown_end(void **state)
{
    (void)state;
    put_main_thread(10);
    finish(90, true, false, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "90 leave test [synthesised=1]\n"
                        "90 endprogram 0\n");
    assert_int_equal(translate.writer.synthesised, 1);
}

static void test_snapshot(void **state)
{
    (void)state;
    put_main_thread(10);
    finish(90, false, false, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "90 leave test [synthesised=1]\n");
}

/* Not the main thread: it came first, ended, and another one went on. */
static void test_first_thread_ends(void **state)
{
    (void)state;
    put_initial_thread(10);
    ((struct omptape_record *)(void *)translate.slots[0]->chunk->records)->b = PID + 1;
    put_initial_thread(15);
    translate_pass();
    translate_end_thread(0);
    translate_pass();
    put_flush(1, 50);
    finish(90, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711] [ThreadId=4712]\n"
                        "5 enter test\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
    translate_expect(1, "50 enter !$omp flush @0x6000\n"
                        "50 leave !$omp flush @0x6000\n");
}

/* It is open through a pause as all is that began before. */
static void test_pause(void **state)
{
    (void)state;
    put_main_thread(10);
    put_control(0, 30, OMPTAPE_CONTROL_PAUSE);
    put_flush(0, 35);
    finish(90, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "30 enter omp_control_tool @0x6000 [command=2] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "30 off\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
}

static void test_started_paused(void **state)
{
    (void)state;
    translate_choose("", 0, true);
    put_main_thread(10);
    put_flush(0, 15);
    put_control(0, 30, OMPTAPE_CONTROL_START);
    put_flush(0, 35);
    finish(90, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "5 off\n"
                        "30 on\n"
                        "30 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "35 enter !$omp flush @0x6000\n"
                        "35 leave !$omp flush @0x6000\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
}

static void test_ended_by_the_program(void **state)
{
    (void)state;
    put_main_thread(10);
    put_control(0, 30, OMPTAPE_CONTROL_END);
    finish(30, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "30 enter omp_control_tool @0x6000 [command=4] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "30 off\n"
                        "30 leave test\n"
                        "30 endprogram 0\n");
}

/* Neither rules nor the limit have a say in it. */
static void test_choice(void **state)
{
    (void)state;
    translate_choose("-*", 1, false);
    put_main_thread(10);
    put_flush(0, 20);
    finish(90, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
}

static void test_window(void **state)
{
    (void)state;
    struct omptape_recorder recorder;
    translate.settings.policy = OMPTAPE_POLICY_OVERWRITE;
    omptape_recorder_start(&recorder, &translate.writer);
    put_main_thread(10);
    put_flush(0, 20);
    put_work(0, 30, ompt_work_loop, ompt_scope_begin, 7);
    translate_pass();
    omptape_recorder_begin_window(&translate.writer);
    put_flush(0, 40);
    finish(90, true, true, 0);
    translate_expect(0, "30 program /bin/test [ProcessId=4711]\n"
                        "30 enter test\n"
                        "30 off\n"
                        "30 on\n"
                        "30 enter !$omp for @0x4000\n"
                        "40 enter !$omp flush @0x6000\n"
                        "40 leave !$omp flush @0x6000\n"
                        "90 leave !$omp for @0x4000 [synthesised=1]\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
}

/* Nothing was forgotten: it begins with the program. */
static void test_whole_window(void **state)
{
    (void)state;
    struct omptape_recorder recorder;
    translate.settings.policy = OMPTAPE_POLICY_OVERWRITE;
    omptape_recorder_start(&recorder, &translate.writer);
    omptape_recorder_begin_window(&translate.writer);
    put_main_thread(10);
    finish(90, true, true, 0);
    translate_expect(0, "5 program /bin/test [ProcessId=4711]\n"
                        "5 enter test\n"
                        "90 leave test\n"
                        "90 endprogram 0\n");
}

/* The kernel's time of the start lies before the first reading of the clock. */
static void test_time_before(void **state)
{
    (void)state;
    struct omptape_timeline timeline = {.scale = 1, .second = 2000000000};
    assert_int_equal(omptape_timeline_before(&timeline, 5000000000, 0), 5000000000);
    assert_int_equal(omptape_timeline_before(&timeline, 5000000000, 1500000000), 2000000000);
    assert_int_equal(omptape_timeline_before(&timeline, 5000000000, 2500000000), 5000000000);
    assert_int_equal(omptape_timeline_before(&timeline, 5000000000, UINT64_MAX), 5000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_before_the_first_event, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_without_events, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_open_regions_end_first, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_unknown_end, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_snapshot, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_first_thread_ends, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_pause, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_started_paused, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_ended_by_the_program, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_choice, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_window, open_program, close_program),
        cmocka_unit_test_setup_teardown(test_whole_window, open_program, close_program),
        cmocka_unit_test(test_time_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
