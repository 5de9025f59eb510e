/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the translation of threads and teams: late, missing and early records. Run by CTest as
 * unit.translate_teams.
 */
#include "tests/unit/translate/translate_script.h"
#include "writers/translate/teams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { REGION = 100, INNER = 200, NEXT = 300 };

static void test_team(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_last_barrier(1, 30, ompt_scope_begin);
    put_last_barrier(0, 31, ompt_scope_begin);
    put_last_barrier(0, 40, ompt_scope_end);
    put_last_barrier(1, 41, ompt_scope_end);
    put_team_end(50, REGION, 2);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "31 enter !$omp implicit barrier @0x1000\n"
                        "31 enter !$omp wait for team @0x1000\n"
                        "40 leave !$omp wait for team @0x1000\n"
                        "40 leave !$omp implicit barrier @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n"
                        "51 join\n");
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 enter !$omp implicit barrier @0x1000\n"
                        "30 enter !$omp wait for team @0x1000\n"
                        "41 leave !$omp wait for team @0x1000\n"
                        "41 leave !$omp implicit barrier @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n");
    translate_expect_readable();
}

/* The end comes when a team was formed with a worker whose begin was only seen ahead: it belongs to the team,
 * so it begins, and equal teams, which share a communicator, all have it. */
static void test_end_while_a_team_forms(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    put_team_end(50, REGION, 2);
    put_fork(0, 70, NEXT, 2);
    put_member(0, 70, NEXT, 0, 2);
    put_member(1, omptape_timeline_now(&translate.writer.timeline) + (UINT64_C(1) << 31), NEXT, 1, 2);
    translate_pass();
    translate_finish_at(80, 80);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n"
                        "51 join\n"
                        "70 fork 2\n"
                        "70 team 0,1\n"
                        "70 enter !$omp parallel @0x1000\n"
                        "80 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "80 endteam 0,1\n"
                        "81 join\n");
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n"
                        "80 team 0,1\n"
                        "80 enter !$omp parallel @0x1000\n"
                        "80 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "80 endteam 0,1\n");
    translate_expect_readable();
}

/* The primary's records of a region from 20 to 62 with a barrier from 50 to 60. */
static void put_primary(void)
{
    put_fork(0, 20, REGION, 2);
    put_member(0, 20, REGION, 0, 2);
    put_last_barrier(0, 50, ompt_scope_begin);
    put_last_barrier(0, 60, ompt_scope_end);
    put_member_end(0, 61, REGION);
    put_join(0, 62, REGION);
}

static const char worker_clipped[] = "21 team 0,1\n"
                                     "21 enter !$omp parallel @0x1000\n"
                                     "40 enter !$omp implicit barrier @0x1000\n"
                                     "40 enter !$omp wait for team @0x1000\n"
                                     "60 leave !$omp wait for team @0x1000\n"
                                     "60 leave !$omp implicit barrier @0x1000\n"
                                     "61 leave !$omp parallel @0x1000\n"
                                     "61 endteam 0,1\n";

/* The worker's ends come when it is needed again, or when the program ends. */
static void test_late_ends_are_clipped(void **state)
{
    (void)state;
    put_threads(1);
    put_primary();
    put_member(1, 21, REGION, 1, 2);
    put_last_barrier(1, 40, ompt_scope_begin);
    put_last_barrier(1, 500, ompt_scope_end);
    put_member_end(1, 501, REGION);
    translate_finish(600);
    translate_expect(1, worker_clipped);
    translate_expect_readable();
}

static void test_late_ends_after_the_next_fork(void **state)
{
    (void)state;
    char expected[1024];
    put_threads(1);
    put_primary();
    put_member(1, 21, REGION, 1, 2);
    put_last_barrier(1, 40, ompt_scope_begin);
    assert_false(translate_pass().blocked);
    put_fork(0, 400, NEXT, 2);
    put_member(0, 401, NEXT, 0, 2);
    assert_true(translate_pass().blocked);
    put_last_barrier(1, 410, ompt_scope_end);
    put_member_end(1, 411, REGION);
    put_member(1, 412, NEXT, 1, 2);
    assert_false(translate_pass().blocked);
    put_team_end(450, NEXT, 2);
    translate_finish(600);
    snprintf(expected, sizeof(expected),
             "%s412 team 0,1\n"
             "412 enter !$omp parallel @0x1000\n"
             "450 leave !$omp parallel @0x1000\n"
             "450 endteam 0,1\n",
             worker_clipped);
    translate_expect(1, expected);
    translate_expect_readable();
}

static void test_late_ends_that_never_come(void **state)
{
    (void)state;
    char expected[1024];
    put_threads(1);
    put_primary();
    put_member(1, 21, REGION, 1, 2);
    put_last_barrier(1, 40, ompt_scope_begin);
    /* Something else of the same thread shows that it is out. */
    put_flush(1, 500);
    translate_finish(600);
    snprintf(expected, sizeof(expected),
             "%s500 enter !$omp flush @0x6000\n"
             "500 leave !$omp flush @0x6000\n",
             worker_clipped);
    translate_expect(1, expected);
    assert_int_equal(translate.writer.synthesised, 0);
    translate_expect_readable();
}

static void test_thread_that_ends_in_a_team(void **state)
{
    (void)state;
    put_threads(1);
    put_primary();
    put_member(1, 21, REGION, 1, 2);
    put_last_barrier(1, 40, ompt_scope_begin);
    translate_put(1, 700, OMPTAPE_THREAD_END, 0, 0, 0);
    translate_end_thread(1);
    translate_finish(800);
    translate_expect(1, worker_clipped);
    translate_expect_readable();
}

static void test_slot_of_an_ended_thread_is_another_location(void **state)
{
    (void)state;
    put_threads(1);
    put_flush(1, 20);
    translate_end_thread(1);
    translate_pass();
    translate_pass();
    unsigned thread = translate_thread(30);
    assert_ptr_equal(translate.slots[thread], translate.slots[1]);
    put_flush(thread, 40);
    translate_finish(50);
    translate_expect(1, "20 enter !$omp flush @0x6000\n20 leave !$omp flush @0x6000\n");
    translate_expect(2, "40 enter !$omp flush @0x6000\n40 leave !$omp flush @0x6000\n");
    translate_expect_readable();
}

static void test_members_are_waited_for(void **state)
{
    (void)state;
    put_threads(2);
    put_fork(0, 20, REGION, 3);
    put_member(0, 21, REGION, 0, 3);
    put_flush(0, 25);
    assert_true(translate_pass().blocked);
    put_member(1, 22, REGION, 1, 3);
    assert_true(translate_pass().blocked);
    put_member(2, 30, REGION, 2, 3);
    assert_false(translate_pass().blocked);
    put_team_end(40, REGION, 3);
    translate_finish(50);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 3\n"
                        "21 team 0,1,2\n"
                        "21 enter !$omp parallel @0x1000\n"
                        "25 enter !$omp flush @0x6000\n"
                        "25 leave !$omp flush @0x6000\n"
                        "40 leave !$omp parallel @0x1000\n"
                        "40 endteam 0,1,2\n"
                        "41 join\n");
    translate_expect(2, "30 team 0,1,2\n"
                        "30 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000\n"
                        "40 endteam 0,1,2\n");
    assert_int_equal(translate.writer.incomplete_teams, 0);
    translate_expect_readable();
}

static void test_primary_that_comes_too_late(void **state)
{
    (void)state;
    put_threads(1);
    put_fork(0, 20, REGION, 2);
    put_member(1, 21, REGION, 1, 2);
    translate.writer.forms_incomplete_teams = true;
    assert_false(translate_pass().blocked);
    translate.writer.forms_incomplete_teams = false;
    put_member(0, 25, REGION, 0, 2);
    put_team_end(30, REGION, 2);
    translate_finish(40);
    /* Who forked the team is in it. */
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "25 team 0,1\n"
                        "25 enter !$omp parallel @0x1000\n"
                        "30 leave !$omp parallel @0x1000\n"
                        "30 endteam 0,1\n"
                        "31 join\n");
    translate_expect(1, "21 team 0,1\n"
                        "21 enter !$omp parallel @0x1000\n"
                        "30 leave !$omp parallel @0x1000\n"
                        "30 endteam 0,1\n");
    translate_expect_readable();
}

/* A task on the worker calls exit(). Before that the same two threads were a team with nothing missing. */
static void test_primary_that_never_comes(void **state)
{
    (void)state;
    put_threads(1);
    put_team(12, NEXT, 2);
    put_team_end(14, NEXT, 2);
    put_fork(0, 20, REGION, 2);
    put_member(1, 21, REGION, 1, 2);
    translate_finish(40);
    translate_expect(0, "10 program /bin/test\n"
                        "12 fork 2\n"
                        "12 team 0,1\n"
                        "12 enter !$omp parallel @0x1000\n"
                        "14 leave !$omp parallel @0x1000\n"
                        "14 endteam 0,1\n"
                        "15 join\n"
                        "20 fork 2\n"
                        "40 team 0,1\n"
                        "40 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "40 endteam 0,1\n"
                        "41 join\n");
    translate_expect(1, "12 team 0,1\n"
                        "12 enter !$omp parallel @0x1000\n"
                        "14 leave !$omp parallel @0x1000\n"
                        "14 endteam 0,1\n"
                        "21 team 0,1\n"
                        "21 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "40 endteam 0,1\n");
    translate_expect_readable();
}

static void test_member_that_never_comes(void **state)
{
    (void)state;
    put_threads(2);
    put_fork(0, 20, REGION, 3);
    put_member(0, 20, REGION, 0, 3);
    put_member(2, 20, REGION, 2, 3);
    assert_true(translate_pass().blocked);
    translate.writer.forms_incomplete_teams = true;
    assert_false(translate_pass().blocked);
    translate.writer.forms_incomplete_teams = false;
    put_task(2, 25, 1000, 0);
    put_member_end(2, 30, REGION);
    put_member_end(0, 30, REGION);
    put_join(0, 30, REGION);
    translate_finish(40);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 3\n"
                        "20 team 0,2\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 leave !$omp parallel @0x1000\n"
                        "30 endteam 0,2\n"
                        "31 join\n");
    /* Its place in the group of those who came. */
    translate_expect(2, "20 team 0,2\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "25 enter !$omp create task @0x3000\n"
                        "25 create 0,2 1 1\n"
                        "25 leave !$omp create task @0x3000\n"
                        "30 leave !$omp parallel @0x1000\n"
                        "30 endteam 0,2\n");
    assert_int_equal(translate.writer.incomplete_teams, 1);
    translate_expect_readable();
}

/* The team was formed without it: it works in the region, but is no member of the communicator. */
static void test_member_that_comes_too_late(void **state)
{
    (void)state;
    put_threads(1);
    put_fork(0, 20, REGION, 2);
    put_member(0, 20, REGION, 0, 2);
    translate.writer.forms_incomplete_teams = true;
    assert_false(translate_pass().blocked);
    translate.writer.forms_incomplete_teams = false;
    put_member(1, 22, REGION, 1, 2);
    put_task(1, 25, 1000, 0);
    put_schedule(1, 26, ompt_task_switch, implicit_of(REGION), 1000);
    put_schedule(1, 27, ompt_task_complete, 1000, implicit_of(REGION));
    put_team_end(30, REGION, 2);
    translate_finish(40);
    translate_expect(1, "22 enter !$omp parallel @0x1000\n"
                        "25 enter !$omp create task @0x3000\n"
                        "25 leave !$omp create task @0x3000\n"
                        "26 enter !$omp task @0x3000\n"
                        "27 leave !$omp task @0x3000\n"
                        "30 leave !$omp parallel @0x1000\n");
    translate_expect_readable();
}

static void test_missing_members_at_the_end(void **state)
{
    (void)state;
    put_threads(1);
    put_fork(0, 20, REGION, 2);
    put_member(0, 20, REGION, 0, 2);
    assert_true(translate_pass().blocked);
    translate_finish(40);
    translate_expect(0, "10 program /bin/test\n"
                        "20 fork 2\n"
                        "20 team 0\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "40 endteam 0\n"
                        "40 join\n");
    translate_expect_readable();
}

/* A snapshot is taken, or the program calls exit(), while a member begins. */
static void test_member_that_begins_after_the_end(void **state)
{
    (void)state;
    put_threads(1);
    put_team(12, NEXT, 2);
    put_team_end(14, NEXT, 2);
    put_fork(0, 20, REGION, 2);
    put_member(0, 21, REGION, 0, 2);
    put_member(1, 30, REGION, 1, 2);
    translate_finish_at(30, 40);
    translate_expect(0, "10 program /bin/test\n"
                        "12 fork 2\n"
                        "12 team 0,1\n"
                        "12 enter !$omp parallel @0x1000\n"
                        "14 leave !$omp parallel @0x1000\n"
                        "14 endteam 0,1\n"
                        "15 join\n"
                        "20 fork 2\n"
                        "21 team 0\n"
                        "21 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "40 endteam 0\n"
                        "40 join\n");
    translate_expect(1, "12 team 0,1\n"
                        "12 enter !$omp parallel @0x1000\n"
                        "14 leave !$omp parallel @0x1000\n"
                        "14 endteam 0,1\n");
    translate_expect_readable();
}

static void test_nested_teams(void **state)
{
    (void)state;
    put_threads(2);
    put_team(20, REGION, 2);
    put_fork(1, 30, INNER, 2);
    put_member(1, 31, INNER, 0, 2);
    put_member(2, 32, INNER, 1, 2);
    put_member_end(1, 40, INNER);
    put_join(1, 41, INNER);
    put_member_end(2, 400, INNER);
    put_team_end(50, REGION, 2);
    translate_finish(500);
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "30 fork 2\n"
                        "31 team 1,2\n"
                        "31 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000\n"
                        "40 endteam 1,2\n"
                        "41 join\n"
                        "50 leave !$omp parallel @0x1000\n"
                        "50 endteam 0,1\n");
    translate_expect(2, "32 team 1,2\n"
                        "32 enter !$omp parallel @0x1000\n"
                        "40 leave !$omp parallel @0x1000\n"
                        "40 endteam 1,2\n");
    translate_expect_readable();
}

static void test_same_members_share_a_communicator(void **state)
{
    (void)state;
    put_threads(1);
    for (uint64_t i = 0; i < 10; i++) {
        put_team(20 + 10 * i, REGION + i, 2);
        put_team_end(25 + 10 * i, REGION + i, 2);
    }
    translate_finish(500);
    assert_int_equal(translate.writer.teams->formed.count, 1);
    translate_expect_readable();
}

/* The record of the fork was dropped. */
static void test_team_without_a_fork(void **state)
{
    (void)state;
    put_threads(1);
    put_member(0, 20, REGION, 0, 2);
    put_member(1, 21, REGION, 1, 2);
    put_team_end(50, REGION, 2);
    translate_finish(60);
    translate_expect(0, "10 program /bin/test\n"
                        "20 team 0,1\n"
                        "20 enter !$omp parallel\n"
                        "50 leave !$omp parallel\n"
                        "50 endteam 0,1\n");
    translate_expect(1, "21 team 0,1\n"
                        "21 enter !$omp parallel\n"
                        "50 leave !$omp parallel\n"
                        "50 endteam 0,1\n");
    translate_expect_readable();
}

/* A worker is where it is until the program ends, although its primary was in a barrier before. */
static void test_worker_that_the_end_cuts_off(void **state)
{
    (void)state;
    put_threads(1);
    put_team(20, REGION, 2);
    for (unsigned thread = 0; thread < 2; thread++) {
        put_sync(thread, 30 + thread, ompt_sync_region_barrier_explicit, ompt_scope_begin, SITE_BARRIER);
        put_sync(thread, 40 - thread, ompt_sync_region_barrier_explicit, ompt_scope_end, SITE_BARRIER);
    }
    put_mutex(1, 39, OMPTAPE_MUTEX_ACQUIRE, ompt_mutex_critical, 0x77);
    translate_finish(60);
    translate_expect(1, "20 team 0,1\n"
                        "20 enter !$omp parallel @0x1000\n"
                        "31 enter !$omp barrier @0x2000\n"
                        "39 leave !$omp barrier @0x2000\n"
                        "39 enter !$omp critical @0x5000\n"
                        "60 leave !$omp critical @0x5000 [synthesised=1]\n"
                        "60 leave !$omp parallel @0x1000 [synthesised=1]\n"
                        "60 endteam 0,1\n");
    translate_expect_readable();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, translate_open, translate_close)
    const struct CMUnitTest tests[] = {
        TEST(team),
        TEST(end_while_a_team_forms),
        TEST(late_ends_are_clipped),
        TEST(late_ends_after_the_next_fork),
        TEST(late_ends_that_never_come),
        TEST(thread_that_ends_in_a_team),
        TEST(slot_of_an_ended_thread_is_another_location),
        TEST(members_are_waited_for),
        TEST(member_that_never_comes),
        TEST(primary_that_comes_too_late),
        TEST(primary_that_never_comes),
        TEST(member_that_comes_too_late),
        TEST(missing_members_at_the_end),
        TEST(member_that_begins_after_the_end),
        TEST(nested_teams),
        TEST(same_members_share_a_communicator),
        TEST(team_without_a_fork),
        TEST(worker_that_the_end_cuts_off),
    };
    return cmocka_run_group_tests_name("translate_teams", tests, NULL, NULL);
}
