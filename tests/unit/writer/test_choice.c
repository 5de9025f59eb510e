/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what --filter, --limit-per-site and --start=paused leave of a translation. Run by CTest as
 * unit.choice.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/regions/regions.h"
#include "writers/regions/sources.h"
#include "writers/translate/teams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REGION = 100, INNER = 200, LOCK = 0x7000, TASK = 300, OTHER = 301, THIRD = 302 };

static void put_critical(unsigned thread, uint64_t begin)
{
    put_mutex(thread, begin, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(thread, begin + 1, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_flush(thread, begin + 2);
    put_mutex(thread, begin + 3, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
}

static void test_critical_goes_with_its_lock(void **state)
{
    (void)state;
    translate_choose("-critical", 0, false);
    start_in_team(REGION, 1);
    put_critical(0, 30);
    finish_in_team(REGION, 1);
    expect_inside(0, "32 enter !$omp flush @0x6000\n"
                     "32 leave !$omp flush @0x6000\n");
}

static void test_a_part_goes_alone(void **state)
{
    (void)state;
    translate_choose("-critical sblock", 0, false);
    start_in_team(REGION, 1);
    put_critical(0, 30);
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter !$omp critical @0x5000\n"
                     "31 acquire 0 1\n"
                     "32 enter !$omp flush @0x6000\n"
                     "32 leave !$omp flush @0x6000\n"
                     "33 release 0 1\n"
                     "33 leave !$omp critical @0x5000\n");
}

static void test_what_was_acquired_is_released(void **state)
{
    (void)state;
    translate_choose("-omp_unset_lock", 0, false);
    start_in_team(REGION, 1);
    put_mutex(0, 30, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_lock, LOCK);
    put_mutex(0, 31, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_lock, LOCK);
    put_mutex(0, 32, OMPTAPE_MUTEX_RELEASED, ompt_mutex_lock, LOCK);
    finish_in_team(REGION, 1);
    expect_inside(0, "30 enter omp_set_lock @0x5000\n"
                     "31 acquire 0 1\n"
                     "31 leave omp_set_lock @0x5000\n"
                     "32 release 0 1\n");
}

static void test_a_loop_goes_with_its_chunks(void **state)
{
    (void)state;
    translate_choose("-for", 0, false);
    start_in_team(REGION, 1);
    put_work(0, 30, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_begin, 8);
    translate_put(0, 31, OMPTAPE_DISPATCH, OMPTAPE_DISPATCH_WS_LOOP_CHUNK, 0, 2, UINT64_C(0), UINT64_C(4));
    put_flush(0, 32);
    put_work(0, 40, OMPTAPE_WORK_LOOP_DYNAMIC, ompt_scope_end, 0);
    put_work(0, 50, ompt_work_single_executor, ompt_scope_begin, 1);
    put_work(0, 51, ompt_work_single_executor, ompt_scope_end, 0);
    finish_in_team(REGION, 1);
    expect_inside(0, "32 enter !$omp flush @0x6000\n"
                     "32 leave !$omp flush @0x6000\n"
                     "50 enter !$omp single @0x4000\n"
                     "50 enter !$omp single sblock @0x4000\n"
                     "51 leave !$omp single sblock @0x4000\n"
                     "51 leave !$omp single @0x4000\n");
}

static void test_a_barrier_goes_with_its_waiting(void **state)
{
    (void)state;
    translate_choose("-implicit barrier", 0, false);
    put_initial_thread(10);
    translate_thread(10);
    put_team(20, REGION, 2);
    put_sync(1, 30, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_wait(1, 30, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_wait(1, 40, ompt_sync_region_barrier_explicit, ompt_scope_end, 0);
    put_sync(1, 40, ompt_sync_region_barrier_explicit, ompt_scope_end, 0);
    put_last_barrier(1, 50, ompt_scope_begin);
    put_last_barrier(0, 51, ompt_scope_begin);
    put_last_barrier(0, 60, ompt_scope_end);
    put_member_end(0, 61, REGION);
    put_join(0, 62, REGION);
    /* The worker tells its ends late. They are clipped to the primary's, though that one is not shown. */
    put_last_barrier(1, 500, ompt_scope_end);
    put_member_end(1, 501, REGION);
    translate_finish(600);
    translate_expect_readable();
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 enter !$omp barrier @0x2000\n"
                        "30 enter !$omp wait for team @0x2000\n"
                        "40 leave !$omp wait for team @0x2000\n"
                        "40 leave !$omp barrier @0x2000\n"
                        "61 leave !$omp parallel @0x1000\n"
                        "61 endteam 0,1\n");
}

/* A limit can hide the primary's barrier alone: the worker's still ends with it. */
static void test_a_hidden_barrier_clips_too(void **state)
{
    (void)state;
    translate_choose("", 1, false);
    put_initial_thread(10);
    translate_thread(10);
    put_team(20, REGION, 2);
    put_last_barrier(1, 50, ompt_scope_begin);
    put_last_barrier(0, 51, ompt_scope_begin);
    put_last_barrier(0, 60, ompt_scope_end);
    put_member_end(0, 61, REGION);
    put_join(0, 62, REGION);
    put_last_barrier(1, 500, ompt_scope_end);
    put_member_end(1, 501, REGION);
    translate_finish(600);
    translate_expect_readable();
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "50 enter !$omp implicit barrier @0x1000\n"
                        "50 enter !$omp wait for team @0x1000\n"
                        "60 leave !$omp wait for team @0x1000\n"
                        "60 leave !$omp implicit barrier @0x1000\n"
                        "61 leave !$omp parallel @0x1000\n"
                        "61 endteam 0,1\n");
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "61 leave !$omp parallel @0x1000\n"
                        "61 endteam 0,1\n"
                        "62 join\n");
}

static void test_a_task_goes_and_its_content_stays(void **state)
{
    (void)state;
    translate_choose("-task", 0, false);
    start_in_team(REGION, 2);
    put_task(0, 30, TASK, (uint32_t)ompt_task_untied);
    put_schedule(1, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_critical(1, 45);
    put_schedule(1, 50, ompt_task_yield, TASK, implicit_of(REGION));
    put_schedule(0, 60, ompt_task_switch, implicit_of(REGION), TASK);
    put_flush(0, 65);
    put_schedule(0, 70, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 2);
    expect_inside(0, "65 enter !$omp flush @0x6000\n"
                     "65 leave !$omp flush @0x6000\n");
    expect_inside(1, "45 enter !$omp critical @0x5000\n"
                     "46 acquire 0 1\n"
                     "46 enter !$omp critical sblock @0x5000\n"
                     "47 enter !$omp flush @0x6000\n"
                     "47 leave !$omp flush @0x6000\n"
                     "48 leave !$omp critical sblock @0x5000\n"
                     "48 release 0 1\n"
                     "48 leave !$omp critical @0x5000\n");
}

static void test_the_creation_of_a_task_goes_alone(void **state)
{
    (void)state;
    translate_choose("-create task", 0, false);
    start_in_team(REGION, 1);
    put_task(0, 30, TASK, 0);
    put_schedule(0, 40, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(0, 50, ompt_task_complete, TASK, implicit_of(REGION));
    finish_in_team(REGION, 1);
    expect_inside(0, "30 create 0 0 1\n"
                     "40 switch 0 0 1\n"
                     "40 enter !$omp task @0x3000\n"
                     "50 leave !$omp task @0x3000\n"
                     "50 complete 0 0 1\n"
                     "50 switch 0 0 0\n");
}

/* Two nested regions; the inner one's threads do all kinds of things. */
static void put_nested(void)
{
    start_in_team(REGION, 2);
    translate_thread(10);
    put_fork(1, 30, INNER, 2);
    put_member(1, 31, INNER, 0, 2);
    put_member(2, 32, INNER, 1, 2);
    put_task(2, 35, TASK, 0);
    put_critical(2, 40);
    put_schedule(1, 50, ompt_task_switch, implicit_of(INNER), TASK);
    put_flush(1, 51);
    put_schedule(1, 52, ompt_task_complete, TASK, implicit_of(INNER));
    put_member_end(2, 60, INNER);
    put_member_end(1, 60, INNER);
    put_join(1, 60, INNER);
    put_flush(1, 70);
}

static void test_a_parallel_region_goes_with_everything(void **state)
{
    (void)state;
    translate_choose("-parallel", 0, false);
    put_nested();
    put_team_end(90, REGION, 2);
    put_flush(0, 95);
    translate_finish(100);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "95 enter !$omp flush @0x6000\n"
                        "95 leave !$omp flush @0x6000\n");
    translate_expect(1, "");
    translate_expect(2, "");
    assert_int_equal(translate.writer.teams->formed.count, 0);
}

/* The first region is shown, the one within is over the limit. */
static void test_a_nested_region_goes_alone(void **state)
{
    (void)state;
    translate_choose("", 1, false);
    put_nested();
    finish_in_team(REGION, 2);
    expect_inside(1, "70 enter !$omp flush @0x6000\n"
                     "70 leave !$omp flush @0x6000\n");
    translate_expect(2, "");
    assert_int_equal(translate.writer.teams->formed.count, 1);
    assert_non_null(strstr(translate.text->markers,
                           "30 1 Limit per site: !$omp parallel @0x1000: from here on "
                           "counted only, 1 of 2 are shown\n"));
}

static void test_a_limit_counts_over_threads(void **state)
{
    (void)state;
    translate_choose("", 2, false);
    start_in_team(REGION, 2);
    put_critical(0, 30);
    put_critical(1, 40);
    put_critical(0, 50);
    put_critical(1, 60);
    finish_in_team(REGION, 2);
    expect_inside(0, "30 enter !$omp critical @0x5000\n"
                     "31 acquire 0 1\n"
                     "31 enter !$omp critical sblock @0x5000\n"
                     "32 enter !$omp flush @0x6000\n"
                     "32 leave !$omp flush @0x6000\n"
                     "33 leave !$omp critical sblock @0x5000\n"
                     "33 release 0 1\n"
                     "33 leave !$omp critical @0x5000\n");
    expect_inside(1, "40 enter !$omp critical @0x5000\n"
                     "41 acquire 0 2\n"
                     "41 enter !$omp critical sblock @0x5000\n"
                     "42 enter !$omp flush @0x6000\n"
                     "42 leave !$omp flush @0x6000\n"
                     "43 leave !$omp critical sblock @0x5000\n"
                     "43 release 0 2\n"
                     "43 leave !$omp critical @0x5000\n");
    assert_string_equal(translate.text->markers,
                        "50 0 Limit per site: !$omp critical @0x5000: from here on counted only, 2 of 4 "
                        "are shown\n"
                        "52 0 Limit per site: !$omp flush @0x6000: from here on counted only, 2 of 4 are "
                        "shown\n");
}

static void test_generations_have_no_gaps(void **state)
{
    (void)state;
    translate_choose("", 2, false);
    start_in_team(REGION, 1);
    for (uint64_t i = 0; i < 3; i++) {
        put_task(0, 30 + 10 * i, TASK + i, 0);
        put_schedule(0, 31 + 10 * i, ompt_task_switch, implicit_of(REGION), TASK + i);
        put_schedule(0, 32 + 10 * i, ompt_task_complete, TASK + i, implicit_of(REGION));
    }
    finish_in_team(REGION, 1);
    assert_null(strstr(translate.text->events[0], "create 0 0 3"));
    assert_non_null(strstr(translate.text->events[0], "42 complete 0 0 2\n"));
    assert_null(strstr(translate.text->events[0], "\n50 "));
}

/* The anchor file has little room for them. */
static void test_a_limit_of_many_sites(void **state)
{
    enum { SITES = 6000, PROPERTIES = 500 };
    char key[128];
    char *value = NULL;
    (void)state;
    translate_choose("", 1, false);
    start_in_team(REGION, 1);
    for (uint64_t i = 0; i < 2 * (uint64_t)SITES; i++) {
        translate_put(0, 30 + i, OMPTAPE_FLUSH, 0, 0, 1, UINT64_C(0x100000) + i / 2 * 16);
        if (i % 1000 == 0)
            translate_pass();
    }
    put_team_end(20000, REGION, 1);
    translate_finish_only(20001);
    translate_expect_readable();
    snprintf(key, sizeof(key), "%s/traces.otf2", translate.folder);
    OTF2_Reader *reader = OTF2_Reader_Open(key);
    assert_non_null(reader);
    assert_int_equal(OTF2_Reader_GetProperty(reader, "OMPTAPE::LIMITED::0", &value), OTF2_SUCCESS);
    assert_string_equal(value, "1 2 !$omp flush @0x100000");
    free(value);
    snprintf(key, sizeof(key), "OMPTAPE::LIMITED::%d", PROPERTIES);
    assert_int_equal(OTF2_Reader_GetProperty(reader, key, &value), OTF2_SUCCESS);
    assert_string_equal(value, "5500 11000 5500 more sites");
    free(value);
    OTF2_Reader_Close(reader);
}

/* Sites that look the same count together, however many others there are. */
static void test_a_limit_counts_what_looks_the_same(void **state)
{
    enum { LINES = 20000, BESIDE = 16 };
    static struct omptape_source sources[2 * LINES + BESIDE];
    char path[128];
    char *value = NULL;
    (void)state;
    for (uint32_t i = 0; i < 2 * LINES + BESIDE; i++)
        sources[i] = (struct omptape_source){
            .file = "/src/x.c", .line = 1 + i % LINES, .function = "f", .module = "/bin/test"};
    *translate.writer.sources = (struct omptape_sources){.list = sources, .known = 2 * LINES + BESIDE};
    translate_choose("", 1, false);
    start_in_team(REGION, 1);
    for (uint64_t i = 0; i < 2 * (uint64_t)LINES; i++) {
        translate_put(0, 30 + i, OMPTAPE_FLUSH, 0, 0, 1, UINT64_C(0x100000) + i * 16);
        if (i % 1000 == 0)
            translate_pass();
    }
    put_team_end(60000, REGION, 1);
    translate_finish_only(60001);
    snprintf(path, sizeof(path), "%s/traces.otf2", translate.folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    assert_non_null(reader);
    assert_int_equal(OTF2_Reader_GetProperty(reader, "OMPTAPE::LIMITED::500", &value), OTF2_SUCCESS);
    assert_string_equal(value, "19500 39000 19500 more sites");
    free(value);
    OTF2_Reader_Close(reader);
    *translate.writer.sources = (struct omptape_sources){.list = NULL};
}

/* What begins in a pause counts when it is shown. */
static void test_a_limit_counts_what_is_recorded(void **state)
{
    (void)state;
    translate_choose("", 2, true);
    start_in_team(REGION, 1);
    put_flush(0, 30);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 41, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_control(0, 45, OMPTAPE_CONTROL_START);
    put_flush(0, 46);
    put_mutex(0, 50, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_flush(0, 51);
    put_flush(0, 52);
    put_critical(0, 60);
    put_critical(0, 70);
    put_team_end(90, REGION, 1);
    translate_finish(100);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "10 off\n"
                        "45 on\n"
                        "45 fork 1\n"
                        "45 team 0\n"
                        "45 enter !$omp parallel @0x1000\n"
                        "45 enter !$omp critical @0x5000\n"
                        "45 enter !$omp critical sblock @0x5000\n"
                        "45 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n"
                        "45 leave omp_control_tool @0x6000\n"
                        "46 enter !$omp flush @0x6000\n"
                        "46 leave !$omp flush @0x6000\n"
                        "50 leave !$omp critical sblock @0x5000\n"
                        "50 leave !$omp critical @0x5000\n"
                        "51 enter !$omp flush @0x6000\n"
                        "51 leave !$omp flush @0x6000\n"
                        "60 enter !$omp critical @0x5000\n"
                        "61 acquire 0 1\n"
                        "61 enter !$omp critical sblock @0x5000\n"
                        "63 leave !$omp critical sblock @0x5000\n"
                        "63 release 0 1\n"
                        "63 leave !$omp critical @0x5000\n"
                        "90 leave !$omp parallel @0x1000\n"
                        "90 endteam 0\n"
                        "90 join\n");
    assert_string_equal(translate.text->markers,
                        "52 0 Limit per site: !$omp flush @0x6000: from here on counted only, 2 of 5 are "
                        "shown\n"
                        "70 0 Limit per site: !$omp critical @0x5000: from here on counted only, 2 of 3 "
                        "are shown\n");
}

static void test_nothing_is_recorded_before_the_start(void **state)
{
    (void)state;
    translate_choose("", 0, true);
    put_initial_thread(10);
    put_flush(0, 20);
    translate_finish(100);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "10 off\n");
}

static void test_rules_go_with_a_pause(void **state)
{
    (void)state;
    translate_choose("-critical,-parallel", 0, true);
    start_in_team(REGION, 1);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 41, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_control(0, 45, OMPTAPE_CONTROL_START);
    put_mutex(0, 50, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_team_end(90, REGION, 1);
    translate_finish(100);
    translate_expect_readable();
    translate_expect(0, "10 program /bin/test\n"
                        "10 off\n"
                        "45 on\n");
}

static void test_hidden_time_is_accounted(void **state)
{
    (void)state;
    translate_choose("-parallel", 0, false);
    start_in_team(REGION, 1);
    put_critical(0, 30);
    put_mutex(0, 40, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(0, 47, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
    put_mutex(0, 48, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
    put_team_end(90, REGION, 1);
    translate_finish(100);
    assert_int_equal(translate.writer.locations[0]->stack.bucket_ticks[OMPTAPE_BUCKET_LOCK], 8);
    assert_int_equal(translate.writer.locations[0]->stack.bucket_ticks[OMPTAPE_BUCKET_COMPUTING], 62);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, translate_open, translate_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_critical_goes_with_its_lock),
        TEST(test_a_part_goes_alone),
        TEST(test_what_was_acquired_is_released),
        TEST(test_a_loop_goes_with_its_chunks),
        TEST(test_a_barrier_goes_with_its_waiting),
        TEST(test_a_hidden_barrier_clips_too),
        TEST(test_a_task_goes_and_its_content_stays),
        TEST(test_the_creation_of_a_task_goes_alone),
        TEST(test_a_parallel_region_goes_with_everything),
        TEST(test_a_nested_region_goes_alone),
        TEST(test_a_limit_counts_over_threads),
        TEST(test_generations_have_no_gaps),
        TEST(test_a_limit_counts_what_is_recorded),
        TEST(test_a_limit_of_many_sites),
        TEST(test_a_limit_counts_what_looks_the_same),
        TEST(test_nothing_is_recorded_before_the_start),
        TEST(test_rules_go_with_a_pause),
        TEST(test_hidden_time_is_accounted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
