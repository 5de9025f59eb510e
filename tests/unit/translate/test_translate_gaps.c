/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the translation makes of streams in which a part was dropped: each script leaves out
 * what a gap may swallow. Run by CTest as unit.translate_gaps.
 */
#include "tests/unit/translate/translate_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { REGION = 100, INNER = 200, NEXT = 300, TASK = 1000, LOCK = 0xabc };

static void put_critical(unsigned thread, uint64_t time)
{
    put_mutex(thread, time, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, LOCK);
    put_mutex(thread, time + 1, OMPTAPE_MUTEX_ACQUIRED, ompt_mutex_critical, LOCK);
}

static void put_critical_end(unsigned thread, uint64_t time)
{
    put_mutex(thread, time, OMPTAPE_MUTEX_RELEASED, ompt_mutex_critical, LOCK);
}

/* A region of one thread that begins and does not end. */
static void put_lone_region(uint64_t time, uint64_t region, uint64_t from)
{
    put_fork_from(0, time, region, 1, from);
    put_member(0, time, region, 0, 1);
}

static void put_lone_end(uint64_t time, uint64_t region)
{
    put_member_end(0, time, region);
    put_join(0, time, region);
}

static void test_end_of_region_lost(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_member_end(0, 30, REGION);
    put_gap(0, 31, 5, 39);
    put_lone_region(40, NEXT, implicit_of(INITIAL_REGION));
    put_lone_end(50, NEXT);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 leave !$omp parallel @0x1000\n"
                        "30 endteam 0\n"
                        "40 join\n"
                        "40 fork 1\n"
                        "40 team 0\n"
                        "40 enter !$omp parallel @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0\n"
                        "50 join\n");
    translate_expect_readable();
}

static void test_end_of_implicit_task_lost(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_gap(0, 25, 5, 29);
    put_join(0, 30, REGION);
    put_flush(0, 35);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "30 endteam 0\n"
                        "30 join\n"
                        "35 enter !$omp flush @0x6000\n"
                        "35 leave !$omp flush @0x6000\n");
    translate_expect_readable();
}

/* The next fork tells from which task it is: all that is above is over. */
static void test_inner_region_lost_its_end(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_lone_region(30, INNER, implicit_of(REGION));
    put_gap(0, 35, 5, 39);
    put_lone_region(40, NEXT, implicit_of(REGION));
    put_lone_end(50, NEXT);
    put_lone_end(55, REGION);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 fork 1\n"
                        "30 team 0\n"
                        "30 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "40 endteam 0\n"
                        "40 join\n"
                        "40 fork 1\n"
                        "40 team 0\n"
                        "40 enter !$omp parallel @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0\n"
                        "50 join\n"
                        "55 leave !$omp parallel @0x1000\n"
                        "55 endteam 0\n"
                        "55 join\n");
    translate_expect_readable();
}

/* An outer region ends while an inner one seems to be there. */
static void test_outer_region_ends_first(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_lone_region(30, INNER, implicit_of(REGION));
    put_gap(0, 35, 5, 39);
    put_join(0, 55, REGION);
    put_flush(0, 56);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 fork 1\n"
                        "30 team 0\n"
                        "30 enter !$omp parallel @0x1000\n"
                        "55 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "55 endteam 0\n"
                        "55 join\n"
                        "55 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "55 endteam 0\n"
                        "55 join\n"
                        "56 enter !$omp flush @0x6000\n"
                        "56 leave !$omp flush @0x6000\n");
    translate_expect_readable();
}

/* What is around a fork is left after the join, not before. */
static void test_gap_behind_a_fork(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_work(0, 22, ompt_work_loop, ompt_scope_begin, 4);
    put_fork_from(0, 25, INNER, 1, implicit_of(REGION));
    put_gap(0, 26, 5, 29);
    put_join(0, 30, INNER);
    put_flush(0, 31);
    put_lone_end(55, REGION);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "22 enter !$omp for @0x4000 [iterations=4]\n"
                        "25 fork 1\n"
                        "30 join\n"
                        "30 leave !$omp for @0x4000 [synthesised=1]\n"
                        "31 enter !$omp flush @0x6000\n"
                        "31 leave !$omp flush @0x6000\n"
                        "55 leave !$omp parallel @0x1000\n"
                        "55 endteam 0\n"
                        "55 join\n");
    translate_expect_readable();
}

/* A thread that was told to begin in one team comes into another one. */
static void test_begins_elsewhere(void **state)
{
    (void)state;
    put_threads(0);
    put_fork_from(0, 20, REGION, 1, implicit_of(INITIAL_REGION));
    put_gap(0, 21, 5, 29);
    put_member(0, 30, NEXT, 0, 1);
    put_member_end(0, 40, NEXT);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "30 join\n"
                        "30 team 0\n"
                        "30 enter !$omp parallel\n"
                        "40 leave !$omp parallel\n"
                        "40 endteam 0\n");
    translate_expect_readable();
}

static void test_worker_missed_a_region(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_member_end(0, 25, REGION);
    put_join(0, 26, REGION);
    put_gap(1, 24, 9, 45);
    put_fork(0, 30, INNER, 2);
    put_member(0, 30, INNER, 0, 2);
    /* Nobody knows that one was dropped until the gap is over. */
    atomic_store(&translate.slots[1]->shared->dropped_since, 1);
    translate_pass();
    atomic_store(&translate.slots[1]->shared->dropped_since, 0);
    put_member_end(0, 40, INNER);
    put_join(0, 40, INNER);
    put_team(50, NEXT, 2);
    put_team_end(55, NEXT, 2);
    translate_finish(60);
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "25 leave !$omp parallel @0x1000\n"
                        "25 endteam 0,1\n"
                        "50 team 0,1\n"
                        "50 enter !$omp parallel @0x1000\n"
                        "55 leave !$omp parallel @0x1000\n"
                        "55 endteam 0,1\n");
    translate_expect_readable();
}

static void test_completion_of_task_lost(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_task(0, 22, TASK, 0);
    put_schedule(0, 24, ompt_task_switch, implicit_of(REGION), TASK);
    put_gap(0, 26, 5, 29);
    put_task(0, 30, TASK + 1, 0);
    put_schedule(0, 32, ompt_task_switch, implicit_of(REGION), TASK + 1);
    put_schedule(0, 34, ompt_task_complete, TASK + 1, implicit_of(REGION));
    put_lone_end(55, REGION);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 1\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "22 enter !$omp create task @0x3000\n"
                        "22 create 0 0 1\n"
                        "22 leave !$omp create task @0x3000\n"
                        "24 switch 0 0 1\n"
                        "24 enter !$omp task @0x3000\n"
                        "30 enter !$omp create task @0x3000\n"
                        "30 create 0 0 2\n"
                        "30 leave !$omp create task @0x3000\n"
                        "32 switch 0 0 2\n"
                        "32 enter !$omp task @0x3000\n"
                        "34 leave !$omp task @0x3000\n"
                        "34 complete 0 0 2\n"
                        "34 leave !$omp task @0x3000\n"
                        "34 switch 0 0 0\n"
                        "55 leave !$omp parallel @0x1000\n"
                        "55 endteam 0\n"
                        "55 join\n");
    translate_expect_readable();
}

/* A task of a team in which the thread is not, as far as one can tell: its region shows, not its name. */
static void test_task_of_another_team(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_gap(1, 21, 3, 24);
    put_task(0, 22, TASK, 0);
    put_member_end(0, 26, REGION);
    put_join(0, 26, REGION);
    put_flush(1, 27);
    put_schedule(1, 28, ompt_task_switch, implicit_of(REGION), TASK);
    put_schedule(1, 29, ompt_task_complete, TASK, implicit_of(REGION));
    translate_finish(60);
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "26 leave !$omp parallel @0x1000\n"
                        "26 endteam 0,1\n"
                        "27 enter !$omp flush @0x6000\n"
                        "27 leave !$omp flush @0x6000\n"
                        "28 enter !$omp task @0x3000\n"
                        "29 leave !$omp task @0x3000\n");
    translate_expect_readable();
}

static void test_release_of_lock_lost(void **state)
{
    (void)state;
    put_threads(1);
    put_critical(0, 20);
    put_gap(0, 22, 5, 29);
    put_critical(1, 30);
    put_critical_end(1, 35);
    put_critical(0, 40);
    put_critical_end(0, 45);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 enter !$omp critical @0x5000\n"
                        "21 acquire 0 1\n"
                        "21 enter !$omp critical sblock @0x5000\n"
                        "22 release 0 1\n"
                        "22 leave !$omp critical sblock @0x5000 [synthesised=1]\n"
                        "22 leave !$omp critical @0x5000 [synthesised=1]\n"
                        "40 enter !$omp critical @0x5000\n"
                        "41 acquire 0 3\n"
                        "41 enter !$omp critical sblock @0x5000\n"
                        "45 leave !$omp critical sblock @0x5000\n"
                        "45 release 0 3\n"
                        "45 leave !$omp critical @0x5000\n");
    translate_expect(1, "30 enter !$omp critical @0x5000\n"
                        "31 acquire 0 2\n"
                        "31 enter !$omp critical sblock @0x5000\n"
                        "35 leave !$omp critical sblock @0x5000\n"
                        "35 release 0 2\n"
                        "35 leave !$omp critical @0x5000\n");
    translate_expect_readable();
}

/* The lock that is released here is held there: whoever got it here was dropped. */
static void test_acquisition_of_lock_lost(void **state)
{
    (void)state;
    put_threads(1);
    put_gap(0, 20, 5, 25);
    put_critical(1, 30);
    put_critical_end(0, 32);
    put_critical_end(1, 35);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n");
    translate_expect(1, "30 enter !$omp critical @0x5000\n"
                        "31 acquire 0 1\n"
                        "31 enter !$omp critical sblock @0x5000\n"
                        "35 leave !$omp critical sblock @0x5000\n"
                        "35 release 0 1\n"
                        "35 leave !$omp critical @0x5000\n");
    translate_expect_readable();
}

/* A thread that ends while it drops has no record that says so. */
static void test_gap_to_the_end(void **state)
{
    (void)state;
    put_threads(1);
    put_gap(1, 20, 5, 29);
    put_critical(1, 30);
    atomic_store(&translate.slots[1]->shared->dropped_total, 12);
    translate_end_thread(1);
    put_critical(0, 40);
    put_critical_end(0, 45);
    translate_finish(60);
    translate_expect(1, "30 enter !$omp critical @0x5000\n"
                        "31 acquire 0 1\n"
                        "31 enter !$omp critical sblock @0x5000\n"
                        "31 release 0 1\n"
                        "31 leave !$omp critical sblock @0x5000 [synthesised=1]\n"
                        "31 leave !$omp critical @0x5000 [synthesised=1]\n");
    assert_string_equal(translate.text->markers,
                        "20 1 Events dropped: 5 events dropped: the buffer was full\n"
                        "31 1 Events dropped: 7 events dropped: the buffer was full\n");
    assert_int_equal(translate.writer.dropped, 12);
    translate_expect_readable();
}

/* A record of omptape's own that is lost is no gap in what the program did. */
static void test_no_event_lost(void **state)
{
    (void)state;
    put_threads(0);
    put_lone_region(20, REGION, implicit_of(INITIAL_REGION));
    put_work(0, 22, ompt_work_loop, ompt_scope_begin, 4);
    put_gap(0, 26, 0, 29);
    put_work(0, 30, ompt_work_loop, ompt_scope_end, 4);
    put_lone_end(55, REGION);
    translate_finish(60);
    assert_int_equal(translate.writer.synthesised, 0);
    assert_string_equal(translate.text->markers, "");
    translate_expect_readable();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(end_of_region_lost),      TEST(end_of_implicit_task_lost), TEST(inner_region_lost_its_end),
        TEST(outer_region_ends_first), TEST(gap_behind_a_fork),         TEST(begins_elsewhere),
        TEST(worker_missed_a_region),  TEST(completion_of_task_lost),   TEST(task_of_another_team),
        TEST(release_of_lock_lost),    TEST(acquisition_of_lock_lost),  TEST(gap_to_the_end),
        TEST(no_event_lost),
    };
    return cmocka_run_group_tests_name("translate_gaps", tests, NULL, NULL);
}
