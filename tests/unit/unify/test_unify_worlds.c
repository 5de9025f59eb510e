/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the pairs of sides of connections between processes of several MPI_COMM_WORLDs: by name, by
 * time, by parent and child, and the sides that stay alone. Run by CTest as unit.unify_worlds.
 */
#include "tests/unit/unify/worlds_fixture.h"

#include <omptape/properties.h>
#include <omptape/record.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Whoever accepts has the first ranks. */
static struct worlds_side accepts(uint32_t process, uint64_t name, uint64_t begin, uint64_t end)
{
    return (struct worlds_side){.process = process,
                                .count = 1,
                                .kind = OMPTAPE_MPI_CONNECT,
                                .first = 1,
                                .remote = 1,
                                .name = name,
                                .begin = begin,
                                .end = end};
}

static struct worlds_side connects(uint32_t process, uint64_t name, uint64_t begin, uint64_t end)
{
    struct worlds_side side = accepts(process, name, begin, end);
    side.first = 0;
    return side;
}

static struct worlds_side spawns(uint32_t process, uint64_t begin, uint64_t end)
{
    struct worlds_side side = accepts(process, 0, begin, end);
    side.kind = OMPTAPE_MPI_SPAWN;
    return side;
}

/* The process began at this time, and asks for its parents later. */
static struct worlds_side is_spawned(struct omptape_unify_model *model, uint32_t process, uint64_t start)
{
    struct worlds_side side = connects(process, 0, start + 5 * WORLDS_SECOND, start + 5 * WORLDS_SECOND);
    side.kind = OMPTAPE_MPI_SPAWNED;
    model->processes[process].clock.first = start;
    return side;
}

static void test_names(void **state)
{
    worlds_add_ones(*state, 6);
    const struct worlds_side sides[] = {accepts(0, 5, 10, 20),  accepts(1, 6, 10, 20),
                                        connects(2, 6, 10, 20), connects(3, 5, 10, 20),
                                        accepts(4, 7, 30, 40),  connects(5, 8, 30, 40)};
    worlds_settle(*state, sides, 6);
    worlds_expect_together(*state, 0, 1, 3, 1, "0 3");
    worlds_expect_together(*state, 1, 1, 2, 1, "1 2");
    worlds_expect(*state, 4, 1, "4 -");
    worlds_expect(*state, 5, 1, "- 5");
}

/* Clocks may be wrong: who has the same name, and nobody else has, belongs together all the same. */
static void test_names_at_other_times(void **state)
{
    worlds_add_ones(*state, 4);
    const struct worlds_side sides[] = {accepts(0, 5, 10, 20), connects(1, 5, 30, 40), accepts(2, 0, 50, 60),
                                        connects(3, 0, 70, 80)};
    worlds_settle(*state, sides, 4);
    worlds_expect_together(*state, 0, 1, 1, 1, "0 1");
    worlds_expect(*state, 2, 1, "2 -");
    worlds_expect(*state, 3, 1, "- 3");
}

/* Of those with the same name, too, that at the same time. */
static void test_times(void **state)
{
    worlds_add_ones(*state, 6);
    const struct worlds_side sides[] = {accepts(0, 0, 10, 20),  accepts(1, 0, 30, 40),
                                        connects(2, 0, 33, 36), connects(3, 0, 12, 18),
                                        connects(4, 7, 60, 70), accepts(5, 7, 70, 80)};
    worlds_settle(*state, sides, 6);
    worlds_expect_together(*state, 0, 1, 3, 1, "0 3");
    worlds_expect_together(*state, 1, 1, 2, 1, "1 2");
    worlds_expect_together(*state, 4, 1, 5, 1, "5 4");
}

/* One accepts twice by one port. */
static void test_one_port_twice(void **state)
{
    worlds_add_ones(*state, 3);
    const struct worlds_side sides[] = {accepts(0, 5, 10, 20), accepts(0, 5, 30, 40), connects(1, 5, 33, 36),
                                        connects(2, 5, 12, 18)};
    worlds_settle(*state, sides, 4);
    worlds_expect_together(*state, 0, 1, 2, 1, "0 2");
    worlds_expect_together(*state, 0, 2, 1, 1, "0 1");
}

/* Of two hosts' clocks a second is not believed. */
static void test_two_clocks(void **state)
{
    struct omptape_unify_model *model = *state;
    worlds_add_ones(model, 6);
    const struct worlds_side sides[] = {accepts(0, 0, 5000, 5100),   connects(1, 0, 5900, 5950),
                                        accepts(2, 0, 10000, 10100), connects(3, 0, 10900, 10950),
                                        accepts(4, 0, 20000, 20100), connects(5, 0, 21200, 21300)};
    model->processes[1].clock.domain = 1;
    model->processes[5].clock.domain = 1;
    worlds_settle(model, sides, 6);
    worlds_expect_together(model, 0, 1, 1, 1, "0 1");
    worlds_expect(model, 2, 1, "2 -");
    worlds_expect(model, 3, 1, "- 3");
    worlds_expect(model, 4, 1, "4 -");
    worlds_expect(model, 5, 1, "- 5");
}

/* The root's name and times count, whichever it is; and all have one communicator. */
static void test_roots(void **state)
{
    worlds_add(*state, 2);
    worlds_add(*state, 2);
    worlds_add(*state, 2);
    struct worlds_side sides[] = {accepts(0, 0, 100, 120), connects(2, 0, 150, 160),
                                  connects(4, 0, 110, 115)};
    for (int i = 0; i < 3; i++) {
        sides[i].count = 2;
        sides[i].remote = 2;
        sides[i].root = i == 1 ? 0 : 1;
    }
    worlds_settle(*state, sides, 3);
    worlds_expect_together(*state, 0, 1, 1, 1, "0 1 4 5");
    worlds_expect_together(*state, 0, 1, 4, 1, "0 1 4 5");
    worlds_expect_together(*state, 0, 1, 5, 1, "0 1 4 5");
    worlds_expect_together(*state, 2, 1, 3, 1, "- - 2 3");
}

/* What the children say of who spawned them decides between two that spawn at one time. */
static void test_spawners(void **state)
{
    struct omptape_unify_model *model = *state;
    worlds_add_ones(model, 6);
    worlds_set_property(model, 0, OMPTAPE_KEY_JOB, "job");
    worlds_set_property(model, 1, OMPTAPE_KEY_JOB, "job");
    worlds_set_property(model, 1, OMPTAPE_KEY_STEP, "step");
    worlds_set_property(model, 2, OMPTAPE_KEY_JOB, "job");
    model->processes[2].clock.rank = 3;
    worlds_set_property(model, 3, OMPTAPE_KEY_PARENT, "job.3");
    worlds_set_property(model, 4, OMPTAPE_KEY_PARENT, "step.0");
    worlds_set_property(model, 5, OMPTAPE_KEY_PARENT, "job.0");
    const struct worlds_side sides[] = {spawns(0, 10, 20),        spawns(1, 10, 20),
                                        spawns(2, 10, 20),        is_spawned(model, 3, 15),
                                        is_spawned(model, 4, 15), is_spawned(model, 5, 15)};
    worlds_settle(model, sides, 6);
    worlds_expect_together(model, 0, 1, 5, 1, "0 5");
    worlds_expect_together(model, 1, 1, 4, 1, "1 4");
    worlds_expect_together(model, 2, 1, 3, 1, "2 3");
}

/* Without that, and of several by one process: the spawn during which they began. */
static void test_spawns_of_one(void **state)
{
    struct omptape_unify_model *model = *state;
    worlds_add_ones(model, 4);
    worlds_set_property(model, 0, OMPTAPE_KEY_JOB, "job");
    worlds_set_property(model, 2, OMPTAPE_KEY_PARENT, "job.0");
    const struct worlds_side sides[] = {spawns(0, 10, 20), spawns(0, 30, 40), is_spawned(model, 1, 35),
                                        is_spawned(model, 2, 15), is_spawned(model, 3, 25)};
    worlds_settle(model, sides, 5);
    worlds_expect_together(model, 0, 1, 2, 1, "0 2");
    worlds_expect_together(model, 0, 2, 1, 1, "0 1");
    worlds_expect(model, 3, 1, "- 3");
}

/* Nothing but one thing at a time is wrong; the name and the time are right. */
static void test_what_does_not_fit(void **state)
{
    worlds_add_ones(*state, 8);
    struct worlds_side sides[] = {accepts(0, 1, 10, 20),  connects(1, 1, 10, 20), accepts(2, 2, 10, 20),
                                  connects(3, 2, 10, 20), accepts(4, 3, 10, 20),  connects(5, 3, 10, 20),
                                  accepts(6, 4, 10, 20),  accepts(7, 4, 10, 20)};
    sides[0].remote = 2; /* so many are not there */
    sides[2].remote = 2; /* ...neither if both say so: they are but two together */
    sides[3].remote = 2;
    sides[5].kind = OMPTAPE_MPI_JOIN; /* another way; at last: both would come first */
    worlds_settle(*state, sides, 8);
    worlds_expect(*state, 0, 1, "0 - -");
    worlds_expect(*state, 1, 1, "- 1");
    worlds_expect(*state, 2, 1, "2 - -");
    worlds_expect(*state, 3, 1, "- - 3");
    worlds_expect(*state, 4, 1, "4 -");
    worlds_expect(*state, 5, 1, "- 5");
    worlds_expect(*state, 6, 1, "6 -");
    worlds_expect(*state, 7, 1, "7 -");
}

/* Each of two goes with nobody but the third; so does each of two others, of the other side. */
static void test_two_claim_one(void **state)
{
    worlds_add_ones(*state, 6);
    const struct worlds_side sides[] = {accepts(0, 1, 10, 20),  accepts(1, 1, 10, 20),
                                        connects(2, 1, 10, 20), connects(3, 2, 10, 20),
                                        connects(4, 2, 10, 20), accepts(5, 2, 10, 20)};
    worlds_settle(*state, sides, 6);
    worlds_expect(*state, 0, 1, "0 -");
    worlds_expect(*state, 1, 1, "1 -");
    worlds_expect(*state, 2, 1, "- 2");
    worlds_expect(*state, 3, 1, "- 3");
    worlds_expect(*state, 4, 1, "- 4");
    worlds_expect(*state, 5, 1, "5 -");
}

/* Any two might belong together. */
static void test_several_partners(void **state)
{
    worlds_add_ones(*state, 4);
    const struct worlds_side sides[] = {accepts(0, 0, 10, 20), accepts(1, 0, 10, 20), connects(2, 0, 10, 20),
                                        connects(3, 0, 10, 20)};
    worlds_settle(*state, sides, 4);
    worlds_expect(*state, 0, 1, "0 -");
    worlds_expect(*state, 1, 1, "1 -");
    worlds_expect(*state, 2, 1, "- 2");
    worlds_expect(*state, 3, 1, "- 3");
}

/* One goes with all three, one with two: until these have their own. */
static void test_who_is_left(void **state)
{
    worlds_add_ones(*state, 6);
    const struct worlds_side sides[] = {accepts(0, 0, 10, 60),  accepts(1, 0, 30, 60),
                                        accepts(2, 0, 50, 60),  connects(3, 0, 12, 18),
                                        connects(4, 0, 33, 36), connects(5, 0, 53, 56)};
    worlds_settle(*state, sides, 6);
    worlds_expect_together(*state, 0, 1, 3, 1, "0 3");
    worlds_expect_together(*state, 1, 1, 4, 1, "1 4");
    worlds_expect_together(*state, 2, 1, 5, 1, "2 5");
}

/* Two that met meet a third as one, and all three a fourth: who they are is known one after the other. */
static void test_dependent_connections(void **state)
{
    worlds_add_ones(*state, 4);
    struct worlds_side sides[] = {connects(3, 3, 50, 60), connects(2, 2, 30, 40), accepts(2, 3, 50, 60),
                                  accepts(0, 1, 10, 20),  connects(1, 1, 10, 20), accepts(0, 2, 30, 40),
                                  accepts(0, 3, 50, 60)};
    sides[0].remote = 3;
    sides[1].remote = 2;
    sides[2].after = 1;
    sides[2].root = 1; /* another one, the first, is */
    sides[5].count = 2;
    sides[5].after = 1;
    sides[6].count = 2;
    sides[6].after = 2;
    worlds_settle(*state, sides, 7);
    worlds_expect_together(*state, 0, 1, 1, 1, "0 1");
    worlds_expect_together(*state, 0, 2, 1, 2, "0 1 2");
    worlds_expect_together(*state, 0, 2, 2, 1, "0 1 2");
    worlds_expect_together(*state, 0, 3, 1, 3, "0 1 2 3");
    worlds_expect_together(*state, 0, 3, 2, 2, "0 1 2 3");
    worlds_expect_together(*state, 0, 3, 3, 1, "0 1 2 3");
}

/* One of the two left no archive: it has one place in both. */
static void test_dependent_on_nobody(void **state)
{
    uint32_t count;
    worlds_add_ones(*state, 2);
    struct worlds_side sides[] = {accepts(0, 1, 10, 20), accepts(0, 2, 30, 40), connects(1, 2, 30, 40)};
    sides[1].after = 1;
    sides[2].remote = 2;
    worlds_settle(*state, sides, 3);
    worlds_expect(*state, 0, 1, "0 -");
    worlds_expect_together(*state, 0, 2, 1, 1, "0 - 1");
    const uint64_t place = worlds_members(*state, 0, 1, &count)[1];
    assert_int_equal(worlds_members(*state, 0, 2, &count)[1], place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_names_at_other_times, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_times, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_one_port_twice, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_two_clocks, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_roots, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_spawners, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_spawns_of_one, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_what_does_not_fit, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_two_claim_one, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_several_partners, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_who_is_left, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_dependent_connections, worlds_make, worlds_free),
        cmocka_unit_test_setup_teardown(test_dependent_on_nobody, worlds_make, worlds_free),
    };
    return cmocka_run_group_tests_name("unify_worlds", tests, NULL, NULL);
}
