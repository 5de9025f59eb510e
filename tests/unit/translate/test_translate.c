/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the translation: pausing, gaps, the program's end. Run by CTest as unit.translate.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/definitions/regions.h"
#include "writers/regions/references.h"
#include "writers/regions/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { REGION = 100, INNER = 200, NEXT = 300 };

static void test_thread_that_does_nothing(void **state)
{
    (void)state;
    put_threads(1);
    translate_finish(20);
    translate_expect(0, "10 program /bin/test\n");
    translate_expect(1, "");
    translate_expect_readable();
}

static void test_pausing(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_control(0, 30, OMPTAPE_CONTROL_PAUSE);
    put_flush(0, 35);
    put_sync(1, 36, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
    put_control(0, 40, OMPTAPE_CONTROL_START);
    put_flush(0, 45);
    put_sync(1, 46, ompt_sync_region_barrier_explicit, ompt_scope_end, 0);
    put_team_end(50, REGION, 2);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 enter omp_control_tool @0x6000 [command=2] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "30 off\n"
                        "40 on\n"
                        "40 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n"
                        "40 leave omp_control_tool @0x6000\n"
                        "45 enter !$omp flush @0x6000\n"
                        "45 leave !$omp flush @0x6000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n"
                        "51 join\n");
    /* What was entered unseen shows from here on. */
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 off\n"
                        "40 on\n"
                        "40 enter !$omp barrier @0x2000\n"
                        "46 leave !$omp barrier @0x2000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n");
    translate_expect_readable();
}

static void test_team_forked_while_paused(void **state)
{
    (void)state;
    put_threads(1);
    put_control(0, 15, OMPTAPE_CONTROL_PAUSE);
    put_team(20, REGION, 2);
    put_control(0, 30, OMPTAPE_CONTROL_START);
    put_task(1, 35, 1000, 0);
    put_team_end(50, REGION, 2);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "15 enter omp_control_tool @0x6000 [command=2] [modifier=0]\n"
                        "15 leave omp_control_tool @0x6000\n"
                        "15 off\n"
                        "30 on\n"
                        "30 fork 2\n"
                        "30 team 0,1\n"
                        "30 enter !$omp parallel @0x1000\n"
                        "30 enter omp_control_tool @0x6000 [command=1] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n"
                        "51 join\n");
    translate_expect(1, "15 off\n"
                        "30 on\n"
                        "30 team 0,1\n"
                        "30 enter !$omp parallel @0x1000\n"
                        "35 enter !$omp create task @0x3000\n"
                        "35 create 0,1 1 1\n"
                        "35 leave !$omp create task @0x3000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n");
    translate_expect_readable();
}

static void test_nothing_after_the_end(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_control(1, 30, OMPTAPE_CONTROL_END);
    put_flush(0, 35);
    put_team_end(50, REGION, 2);
    put_flush(0, 55);
    translate_finish(60);
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 enter omp_control_tool @0x6000 [command=4] [modifier=0]\n"
                        "30 leave omp_control_tool @0x6000\n"
                        "60 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "60 endteam 0,1\n"
                        "60 off\n");
    translate_expect_readable();
}

static void test_killed_in_the_middle(void **state)
{
    (void)state;
    put_threads(2);
    put_team(20, REGION, 2);
    put_fork(1, 30, INNER, 2);
    put_member(1, 31, INNER, 0, 2);
    put_member(2, 31, INNER, 1, 2);
    put_work(1, 35, ompt_work_loop, ompt_scope_begin, 100);
    put_task(1, 36, 1000, 0);
    put_task(1, 36, 1001, 0);
    put_schedule(1, 37, ompt_task_switch, implicit_of(INNER), 1000);
    put_mutex(1, 38, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, 0x77);
    put_mutex(1, 38, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, 0x77);
    put_last_barrier(2, 39, ompt_scope_begin);
    put_fork(0, 39, NEXT, 2);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "39 fork 2\n"
                        "60 join\n"
                        "60 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "60 endteam 0,1\n"
                        "63 join\n");
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 fork 2\n"
                        "31 team 1,2\n"
                        "31 enter !$omp parallel @0x1000\n"
                        "35 enter !$omp for @0x4000 [iterations=100]\n"
                        "36 enter !$omp create task @0x3000\n"
                        "36 create 1,2 0 1\n"
                        "36 leave !$omp create task @0x3000\n"
                        "36 enter !$omp create task @0x3000\n"
                        "36 create 1,2 0 2\n"
                        "36 leave !$omp create task @0x3000\n"
                        "37 switch 1,2 0 1\n"
                        "37 enter !$omp task @0x3000\n"
                        "38 enter !$omp critical @0x5000\n"
                        "38 acquire 0 1\n"
                        "38 enter !$omp critical sblock @0x5000\n"
                        "60 leave !$omp critical sblock @0x5000 [synthesised=1]\n"
                        "60 leave !$omp critical @0x5000 [synthesised=1]\n"
                        "60 leave !$omp task @0x3000 [synthesised=1]\n"
                        "60 leave !$omp for @0x4000 [synthesised=1]\n"
                        "60 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "60 endteam 1,2\n"
                        "61 join\n"
                        "61 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "61 endteam 0,1\n");
    translate_expect_readable();
}

static void test_unknown_identities(void **state)
{
    (void)state;
    put_threads(0);
    put_join(0, 20, 12345);
    put_member_end(0, 21, 12345);
    put_schedule(0, 22, ompt_task_complete, 4711, 0);
    put_schedule(0, 23, ompt_task_switch, 4711, implicit_of(12345));
    put_schedule(0, 24, ompt_task_late_fulfill, 4711, 0);
    put_schedule(0, 25, ompt_taskwait_complete, 4711, 0);
    put_sync(0, 26, ompt_sync_region_taskwait, ompt_scope_end, 0);
    put_wait(0, 27, ompt_sync_region_taskwait, ompt_scope_end, 0);
    put_work(0, 28, ompt_work_loop, ompt_scope_end, 0);
    translate_put(0, 29, OMPTAPE_MASKED, omptape_pack_endpoint(0, ompt_scope_end), 0, 1, UINT64_C(0));
    translate_put(0, 30, OMPTAPE_TARGET, omptape_pack_endpoint(ompt_target, ompt_scope_end), 0, 2,
                  UINT64_C(99), UINT64_C(0));
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "24 enter omp_fulfill_event\n"
                        "24 leave omp_fulfill_event\n");
    translate_expect_readable();
}

static void test_gaps_show(void **state)
{
    (void)state;
    put_threads(0);
    translate_put(0, 20, OMPTAPE_STALL, 0, 0, 2, UINT64_C(35), UINT64_C(0));
    put_flush(0, 36);
    translate_put(0, 40, OMPTAPE_DROPPED, 0, 0, 2, UINT64_C(7), UINT64_C(50));
    put_flush(0, 51);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 flush 35\n"
                        "36 enter !$omp flush @0x6000\n"
                        "36 leave !$omp flush @0x6000\n"
                        "51 enter !$omp flush @0x6000\n"
                        "51 leave !$omp flush @0x6000\n");
    assert_string_equal(translate.text->markers,
                        "40 0 Events dropped: 7 events dropped: the buffer was full\n");
    assert_int_equal(translate.writer.stalled, 15);
    translate_expect_readable();
}

/* Equal regions are one, whatever stands between them. */
static void test_equal_regions_are_merged(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    struct omptape_writer *writer = &translate.writer;
    static struct omptape_source sources[COUNT] = {
        {.module = "/bin/test"}, /* the program's own region */
        {.file = "/a/loop.c", .line = 7, .function = "f", .module = "/bin/test"},
        {.file = "/b/loop.c", .line = 7, .function = "f", .module = "/bin/test"},
        {.file = "/a/loop.c", .line = 7, .function = "f", .module = "/bin/test"},
        {.file = "/a/loop.c", .line = 7, .function = "g", .module = "/bin/test"},
        {.file = "/b/loop.c", .line = 7, .function = "f", .module = "/bin/test"}};
    struct omptape_region_texts described = {.list = NULL};
    for (uint64_t i = 1; i < COUNT; i++)
        assert_int_equal(omptape_references_get(writer, OMPTAPE_REGION_BARRIER, 0x1000 * i), i);
    *writer->sources = (struct omptape_sources){.list = sources, .known = COUNT};
    assert_true(omptape_definitions_describe_regions(writer, &described));
    const struct omptape_region_text *texts = described.list;
    assert_int_equal(described.count, COUNT);
    assert_int_equal(described.distinct, 4);
    assert_int_equal(texts[3].final_ref, texts[1].final_ref);
    assert_int_equal(texts[5].final_ref, texts[2].final_ref);
    assert_int_not_equal(texts[2].final_ref, texts[1].final_ref);
    assert_true(!texts[4].merged && texts[3].merged && texts[5].merged);
    omptape_definitions_forget_regions(&described);
    *writer->sources = (struct omptape_sources){.list = NULL};
}

/* Every second of many processors: a long list, and nothing of it is cut off. */
static void test_binding_is_whole(void **state)
{
    (void)state;
    enum { WORDS = 16 };
    uint64_t mask[WORDS];
    char expected[WORDS * 64 * 3];
    size_t used = 0;
    put_threads(0);
    for (unsigned i = 0; i < WORDS; i++)
        mask[i] = i < WORDS - 1 ? UINT64_C(0x5555555555555555) : UINT64_C(0xff00000000000003);
    for (unsigned i = 0; i < (WORDS - 1) * 64; i += 2)
        used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%u,", i);
    snprintf(expected + used, sizeof(expected) - used, "960-961,1016-1023");
    translate_put_words(0, 20, OMPTAPE_PLACE, 0, UINT32_MAX, WORDS, mask);
    translate_put_words(0, 30, OMPTAPE_PLACE, 0, UINT32_MAX, WORDS, mask);
    translate_finish(40);
    assert_string_equal(translate.writer.locations[0]->binding, expected);
    translate_expect_readable();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(thread_that_does_nothing),
        TEST(pausing),
        TEST(team_forked_while_paused),
        TEST(nothing_after_the_end),
        TEST(killed_in_the_middle),
        TEST(unknown_identities),
        TEST(gaps_show),
        TEST(equal_regions_are_merged),
        TEST(binding_is_whole),
    };
    return cmocka_run_group_tests_name("translate", tests, NULL, NULL);
}
