/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the translation of explicit tasks: nesting, migration, dependences, what was dropped. Run by
 * CTest as unit.translate_tasks.
 */
#include "tests/unit/translate/translate_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REGION = 100, TASK = 1000, OTHER = 1001, THIRD = 1002 };

static void test_task_is_created_runs_and_completes(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_schedule(1, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_flush(1, 45);
    put_schedule(1, 50, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0,1 0 1\n"
                     "30 leave !$omp create task @0x3000\n");
    expect_inside(1, "40 switch 0,1 0 1\n"
                     "40 enter !$omp task @0x3000\n"
                     "45 enter !$omp flush @0x6000\n"
                     "45 leave !$omp flush @0x6000\n"
                     "50 leave !$omp task @0x3000\n"
                     "50 complete 0,1 0 1\n"
                     "50 switch 0,1 1 0\n");
}

static void test_generations_count_for_each_creator(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_task(1, 31, OTHER, 0);
    put_task(0, 32, THIRD, (uint32_t)ompt_task_final);
    finish_in_team(REGION, 2);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0,1 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "32 enter !$omp create task @0x3000 [flags=final]\n"
                     "32 create 0,1 0 2\n"
                     "32 leave !$omp create task @0x3000\n");
    expect_inside(1, "31 enter !$omp create task @0x3000\n"
                     "31 create 0,1 1 1\n"
                     "31 leave !$omp create task @0x3000\n");
}

/* A tied task that waits runs another on top of itself. */
static void test_tasks_nest(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_task(0, 32, OTHER, 0);
    put_sync(0, 33, ompt_sync_region_taskwait, ompt_scope_begin, SITE_BARRIER);
    put_schedule(0, 34, ompt_task_switch, TASK, OTHER);
    put_schedule(0, 35, ompt_task_complete, OTHER, TASK);
    put_sync(0, 36, ompt_sync_region_taskwait, ompt_scope_end, SITE_BARRIER);
    put_schedule(0, 37, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 enter !$omp create task @0x3000\n"
                     "32 create 0 0 2\n"
                     "32 leave !$omp create task @0x3000\n"
                     "33 enter !$omp taskwait @0x2000\n"
                     "34 switch 0 0 2\n"
                     "34 enter !$omp task @0x3000\n"
                     "35 leave !$omp task @0x3000\n"
                     "35 complete 0 0 2\n"
                     "35 switch 0 0 1\n"
                     "36 leave !$omp taskwait @0x2000\n"
                     "37 leave !$omp task @0x3000\n"
                     "37 complete 0 0 1\n"
                     "37 switch 0 0 0\n");
}

/* An untied task leaves one stack with its open regions and enters them again on another. */
static void test_untied_task_migrates(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, (uint32_t)ompt_task_untied);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_sync(0, 32, ompt_sync_region_taskgroup, ompt_scope_begin, SITE_BARRIER);
    put_schedule(0, 33, ompt_task_yield, TASK, implicit_of(REGION));
    put_flush(0, 34);
    put_schedule(1, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_flush(1, 41);
    put_sync(1, 42, ompt_sync_region_taskgroup, ompt_scope_end, SITE_BARRIER);
    put_schedule(1, 43, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
    expect_inside(0, "30 enter !$omp create task @0x3000 [flags=untied]\n"
                     "30 create 0,1 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0,1 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 enter !$omp taskgroup @0x2000\n"
                     "33 leave !$omp taskgroup @0x2000\n"
                     "33 leave !$omp task @0x3000\n"
                     "33 switch 0,1 0 0\n"
                     "34 enter !$omp flush @0x6000\n"
                     "34 leave !$omp flush @0x6000\n");
    expect_inside(1, "40 switch 0,1 0 1\n"
                     "40 enter !$omp task @0x3000\n"
                     "40 enter !$omp taskgroup @0x2000\n"
                     "41 enter !$omp flush @0x6000\n"
                     "41 leave !$omp flush @0x6000\n"
                     "42 leave !$omp taskgroup @0x2000\n"
                     "43 leave !$omp task @0x3000\n"
                     "43 complete 0,1 0 1\n"
                     "43 switch 0,1 1 0\n");
    assert_int_equal(translate.writer.synthesised, 0);
}

/* Two untied tasks in turns below each other: the one that is resumed from deep in the stack comes to its
 * top. */
static void test_untied_tasks_take_turns(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, (uint32_t)ompt_task_untied);
    put_task(0, 31, OTHER, (uint32_t)ompt_task_untied);
    put_schedule(0, 32, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 33, ompt_task_switch, TASK, OTHER);
    put_schedule(0, 34, ompt_task_switch, OTHER, TASK);
    put_schedule(0, 35, ompt_task_switch, TASK, OTHER);
    put_schedule(0, 36, ompt_task_complete, OTHER, TASK);
    put_schedule(0, 37, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000 [flags=untied]\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 enter !$omp create task @0x3000 [flags=untied]\n"
                     "31 create 0 0 2\n"
                     "31 leave !$omp create task @0x3000\n"
                     "32 switch 0 0 1\n"
                     "32 enter !$omp task @0x3000\n"
                     "33 switch 0 0 2\n"
                     "33 enter !$omp task @0x3000\n"
                     "34 leave !$omp task @0x3000\n"
                     "34 switch 0 0 1\n"
                     "35 switch 0 0 2\n"
                     "35 enter !$omp task @0x3000\n"
                     "36 leave !$omp task @0x3000\n"
                     "36 complete 0 0 2\n"
                     "36 switch 0 0 1\n"
                     "37 leave !$omp task @0x3000\n"
                     "37 complete 0 0 1\n"
                     "37 switch 0 0 0\n");
}

static void test_undeferred_task_is_a_region_only(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, (uint32_t)ompt_task_undeferred);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_task(0, 32, OTHER, 0);
    put_schedule(0, 33, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000 [flags=undeferred]\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 enter !$omp create task @0x3000\n"
                     "32 create 0 0 1\n"
                     "32 leave !$omp create task @0x3000\n"
                     "33 leave !$omp task @0x3000\n");
}

/* The record of its creation was dropped: nothing is known but that it runs. */
static void test_task_without_a_creation(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_flush(0, 32);
    put_schedule(0, 33, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "31 enter !$omp task\n"
                     "32 enter !$omp flush @0x6000\n"
                     "32 leave !$omp flush @0x6000\n"
                     "33 leave !$omp task\n");
}

/* The record that takes it off a stack was dropped, and it goes on elsewhere, or ends there. */
static void test_task_that_seems_to_be_in_two_places(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, (uint32_t)ompt_task_untied);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 41, ompt_task_complete, TASK, implicit_of(REGION));
    put_flush(0, 50);
    put_task(1, 51, TASK, 0);
    put_schedule(1, 52, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 53, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
}

static void test_task_is_told_of_twice(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_task(1, 31, TASK, 0);
    put_schedule(0, 32, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 33, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 34, ompt_task_complete, TASK, implicit_of(REGION));
    put_schedule(1, 35, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
}

static void test_taskwait_with_dependences(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    uint64_t payload[] = {TASK, 0xabc, ompt_dependence_type_in};
    translate_put(0, 30, OMPTAPE_TASK_CREATE,
                  omptape_fold_flags((int)((uint32_t)ompt_task_undeferred | (uint32_t)ompt_task_taskwait)), 1,
                  2, (uint64_t)TASK, (uint64_t)SITE_BARRIER);
    translate_put_words(0, 30, OMPTAPE_DEPENDENCES, 1, 0, 3, payload);
    put_schedule(0, 35, ompt_taskwait_complete, TASK, 0);
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp taskwait @0x2000\n"
                     "30 parameter depend=in 0xabc\n"
                     "35 leave !$omp taskwait @0x2000\n");
}

static void test_dependences_belong_to_the_creation(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    uint64_t payload[] = {TASK, 0xa0, 0xb0, ompt_dependence_type_in | ompt_dependence_type_inout << 8};
    translate_put(0, 30, OMPTAPE_TASK_CREATE, omptape_fold_flags(ompt_task_explicit), 1, 2, (uint64_t)TASK,
                  (uint64_t)SITE_TASK);
    translate_put_words(0, 31, OMPTAPE_DEPENDENCES, 2, 0, 4, payload);
    translate_put(0, 32, OMPTAPE_TASK_DEPENDENCE, 0, 0, 2, (uint64_t)OTHER, (uint64_t)TASK);
    put_flush(0, 40);
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000 [task id=1000]\n"
                     "30 create 0 0 1\n"
                     "31 parameter depend=in 0xa0\n"
                     "31 parameter depend=inout 0xb0\n"
                     "32 parameter depends on task id=1001\n"
                     "32 leave !$omp create task @0x3000\n"
                     "40 enter !$omp flush @0x6000\n"
                     "40 leave !$omp flush @0x6000\n");
}

/* Iterations that wait for each other are numbers: none is kept. */
static void test_doacross(void **state)
{
    (void)state;
    enum { ITERATIONS = 1000 };
    start_in_team(REGION, 1);
    translate_pass();
    uint32_t strings = 0;
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        uint64_t payload[] = {0, i - 1, i, ompt_dependence_type_sink | ompt_dependence_type_source << 8};
        translate_put_words(0, 30 + i, OMPTAPE_DEPENDENCES, 2, 0, 4, payload);
        translate_pass();
        strings = i == 0 ? translate.writer.strings.rows.count : strings;
    }
    assert_int_equal(translate.writer.strings.rows.count, strings);
    put_team_end(90 + ITERATIONS, REGION, 1);
    translate_finish(100 + ITERATIONS);
    const char *shown = strstr(translate.text->events[0], "30 parameter");
    assert_non_null(shown);
    assert_memory_equal(shown,
                        "30 parameter depend sink=-1\n"
                        "30 parameter depend source=0\n"
                        "31 parameter depend sink=0\n",
                        strlen("30 parameter depend sink=-1\n"
                               "30 parameter depend source=0\n"
                               "31 parameter depend sink=0\n"));
    translate_expect_readable();
}

/* A row of dependences ends with the time that the thread waited in it, but not before the event before. */
static void test_rows_of_turns(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_flush(0, 30);
    translate_put(0, 50, OMPTAPE_TURNS, 0, 0, 2, (uint64_t)7, (uint64_t)8);
    translate_put(0, 60, OMPTAPE_TURNS, 0, 0, 2, (uint64_t)1, (uint64_t)0);
    translate_put(0, 70, OMPTAPE_TURNS, 0, 0, 2, UINT64_MAX, UINT64_MAX);
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp flush @0x6000\n"
                     "30 leave !$omp flush @0x6000\n"
                     "42 enter !$omp ordered\n"
                     "50 leave !$omp ordered [calls=7]\n"
                     "60 enter !$omp ordered\n"
                     "60 leave !$omp ordered [calls=1]\n"
                     "60 enter !$omp ordered\n"
                     "70 leave !$omp ordered [calls=18446744073709551615]\n");
    translate_expect_readable();
}

/* As many as the payload can hold, and one more, which it cannot. */
static void test_most_dependences(void **state)
{
    (void)state;
    enum { MAX_DEPENDENCES = 223 }; /* 1 + 223 + 28 words of 253 */
    uint64_t payload[253] = {TASK};
    start_in_team(REGION, 1);
    for (unsigned i = 0; i < MAX_DEPENDENCES; i++)
        payload[1 + i] = i;
    memset(&payload[1 + MAX_DEPENDENCES], ompt_dependence_type_out, MAX_DEPENDENCES);
    translate_put(0, 30, OMPTAPE_TASK_CREATE, omptape_fold_flags(ompt_task_explicit), 1, 2, (uint64_t)TASK,
                  (uint64_t)SITE_TASK);
    translate_put_words(0, 31, OMPTAPE_DEPENDENCES, MAX_DEPENDENCES, 0,
                        1 + MAX_DEPENDENCES + (MAX_DEPENDENCES + 7) / 8, payload);
    translate_put_words(0, 32, OMPTAPE_DEPENDENCES, 16, 0, 18, payload);
    translate_put_words(0, 33, OMPTAPE_DEPENDENCES, 9, 0, 10, payload);
    translate_put_words(0, 34, OMPTAPE_DEPENDENCES, UINT16_MAX, 0, 253, payload);
    finish_in_team(REGION, 1);
    unsigned parameters = 0;
    for (const char *at = translate.text->events[0]; (at = strstr(at, "parameter depend=out")) != NULL; at++)
        parameters++;
    assert_int_equal(parameters, MAX_DEPENDENCES);
    assert_null(strstr(translate.text->events[0], "32 parameter"));
    assert_null(strstr(translate.text->events[0], "33 parameter"));
    assert_null(strstr(translate.text->events[0], "34 parameter"));
}

static void test_detached_task_fulfilled_early(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 32, ompt_task_early_fulfill, TASK, 0);
    put_schedule(0, 33, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 enter omp_fulfill_event\n"
                     "32 leave omp_fulfill_event\n"
                     "33 leave !$omp task @0x3000\n"
                     "33 complete 0 0 1\n"
                     "33 switch 0 0 0\n");
}

static void test_detached_task_fulfilled_late(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 33, ompt_task_detach, TASK, implicit_of(REGION));
    put_flush(0, 34);
    put_schedule(1, 40, ompt_task_late_fulfill, TASK, 0);
    finish_in_team(REGION, 2);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0,1 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0,1 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "33 leave !$omp task @0x3000\n"
                     "33 switch 0,1 0 0\n"
                     "34 enter !$omp flush @0x6000\n"
                     "34 leave !$omp flush @0x6000\n");
    expect_inside(1, "40 switch 0,1 0 1\n"
                     "40 enter omp_fulfill_event\n"
                     "40 leave omp_fulfill_event\n"
                     "40 complete 0,1 0 1\n"
                     "40 switch 0,1 1 0\n");
}

/* By another task, which goes on with its regions. */
static void test_task_fulfilled_by_a_task(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 33, ompt_task_detach, TASK, implicit_of(REGION));
    put_task(0, 34, OTHER, 0);
    put_schedule(0, 35, ompt_task_switch, implicit_of(REGION), OTHER);
    put_schedule(0, 36, ompt_task_late_fulfill, TASK, 0);
    put_flush(0, 37);
    put_schedule(0, 38, ompt_task_complete, OTHER, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "33 leave !$omp task @0x3000\n"
                     "33 switch 0 0 0\n"
                     "34 enter !$omp create task @0x3000\n"
                     "34 create 0 0 2\n"
                     "34 leave !$omp create task @0x3000\n"
                     "35 switch 0 0 2\n"
                     "35 enter !$omp task @0x3000\n"
                     "36 switch 0 0 1\n"
                     "36 enter omp_fulfill_event\n"
                     "36 leave omp_fulfill_event\n"
                     "36 complete 0 0 1\n"
                     "36 switch 0 0 2\n"
                     "37 enter !$omp flush @0x6000\n"
                     "37 leave !$omp flush @0x6000\n"
                     "38 leave !$omp task @0x3000\n"
                     "38 complete 0 0 2\n"
                     "38 switch 0 0 0\n");
}

/* The same, but what took it off its stack was dropped. */
static void test_late_fulfilment_of_a_running_task(void **state)
{
    (void)state;
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 40, ompt_task_late_fulfill, TASK, 0);
    put_flush(0, 50);
    put_task(0, 51, OTHER, 0);
    put_schedule(0, 52, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
}

static void test_cancelled_task(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    translate_put(0, 32, OMPTAPE_CANCEL, 0, (uint32_t)(ompt_cancel_taskgroup | ompt_cancel_activated), 2,
                  (uint64_t)TASK, (uint64_t)SITE_OTHER);
    put_schedule(0, 33, ompt_task_cancel, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 enter !$omp cancel taskgroup @0x6000 [flags=activated]\n"
                     "32 leave !$omp cancel taskgroup @0x6000\n"
                     "33 leave !$omp task @0x3000\n"
                     "33 complete 0 0 1\n"
                     "33 switch 0 0 0\n");
}

static void test_task_created_while_paused(void **state)
{
    (void)state;
    start_in_team(REGION, 1);
    put_control(0, 25, OMPTAPE_CONTROL_PAUSE);
    put_task(0, 30, TASK, 0);
    put_control(0, 35, OMPTAPE_CONTROL_START);
    put_schedule(0, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 41, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    /* No switch to a task that the archive never saw created. */
    assert_null(strstr(translate.text->events[0], "switch"));
    assert_null(strstr(translate.text->events[0], "complete"));
    assert_non_null(
        strstr(translate.text->events[0], "40 enter !$omp task @0x3000\n41 leave !$omp task @0x3000\n"));
}

static void test_nested_team_inside_a_task(void **state)
{
    (void)state;
    enum { INNER = 200 };
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 31, ompt_task_switch, implicit_of(REGION), TASK);
    put_fork(0, 32, INNER, 1);
    put_member(0, 33, INNER, 0, 1);
    put_task(0, 34, OTHER, 0);
    put_schedule(0, 35, ompt_task_switch, implicit_of(INNER), OTHER);
    put_schedule(0, 36, ompt_task_complete, OTHER, implicit_of(INNER));
    put_member_end(0, 37, INNER);
    put_join(0, 38, INNER);
    put_schedule(0, 39, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp create task @0x3000\n"
                     "30 create 0 0 1\n"
                     "30 leave !$omp create task @0x3000\n"
                     "31 switch 0 0 1\n"
                     "31 enter !$omp task @0x3000\n"
                     "32 fork 1\n"
                     "33 team 0\n"
                     "33 enter !$omp parallel @0x1000\n"
                     "34 enter !$omp create task @0x3000\n"
                     "34 create 0 0 1\n"
                     "34 leave !$omp create task @0x3000\n"
                     "35 switch 0 0 1\n"
                     "35 enter !$omp task @0x3000\n"
                     "36 leave !$omp task @0x3000\n"
                     "36 complete 0 0 1\n"
                     "36 switch 0 0 0\n"
                     "37 leave !$omp parallel @0x1000\n"
                     "37 endteam 0\n"
                     "38 join\n"
                     "39 leave !$omp task @0x3000\n"
                     "39 complete 0 0 1\n"
                     "39 switch 0 0 0\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(task_is_created_runs_and_completes),
        TEST(generations_count_for_each_creator),
        TEST(tasks_nest),
        TEST(untied_task_migrates),
        TEST(untied_tasks_take_turns),
        TEST(undeferred_task_is_a_region_only),
        TEST(task_without_a_creation),
        TEST(task_that_seems_to_be_in_two_places),
        TEST(task_is_told_of_twice),
        TEST(taskwait_with_dependences),
        TEST(dependences_belong_to_the_creation),
        TEST(doacross),
        TEST(rows_of_turns),
        TEST(most_dependences),
        TEST(detached_task_fulfilled_early),
        TEST(detached_task_fulfilled_late),
        TEST(task_fulfilled_by_a_task),
        TEST(late_fulfilment_of_a_running_task),
        TEST(cancelled_task),
        TEST(task_created_while_paused),
        TEST(nested_team_inside_a_task),
    };
    return cmocka_run_group_tests_name("translate_tasks", tests, NULL, NULL);
}
