/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of chains of tasks (src/analysis/chain.c): what follows what, and how parallel a graph is
 * called. Run by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    TASK = 20,
    CREATE,
    TASKWAIT,
    BARRIER,
    OTHER,
    REGIONS = 5,
    DEPEND = 3,
    GRAIN = 1000000,
    TEXT_BYTES = 16384
};
/* Strings: of the regions, then of dependences. */
enum { ON_ONE = MAKE_STRINGS + REGIONS, ON_ANOTHER, IN_SET, PARAMETER };

static void write_regions(OTF2_GlobalDefWriter *writer)
{
    static const char *const texts[] = {"!$omp task @b.c:14",
                                        "!$omp create task @b.c:14",
                                        "!$omp taskwait @b.c:16",
                                        "!$omp barrier @b.c:18",
                                        "!$omp parallel @b.c:30",
                                        "inout 0x10",
                                        "inout 0x20",
                                        "inoutset 0x10",
                                        "depend"};
    static const OTF2_RegionRole roles[REGIONS] = {OTF2_REGION_ROLE_TASK, OTF2_REGION_ROLE_TASK_CREATE,
                                                   OTF2_REGION_ROLE_TASK_WAIT, OTF2_REGION_ROLE_BARRIER,
                                                   OTF2_REGION_ROLE_PARALLEL};
    static const uint32_t lines[REGIONS] = {14, 14, 16, 18, 30};
    for (uint32_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, texts[i]));
    for (uint32_t i = 0; i < REGIONS; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, TASK + i, MAKE_STRINGS + i, MAKE_STRINGS + i,
                                                      MAKE_EMPTY_STRING, roles[i], OTF2_PARADIGM_OPENMP,
                                                      OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, lines[i], 0));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, DEPEND, PARAMETER, OTF2_PARAMETER_TYPE_STRING));
}

static char text[TEXT_BYTES];

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + length, sizeof(text) - length, format, arguments);
    va_end(arguments);
}

static void begin(unsigned thread, unsigned team)
{
    add("%u 0 team %u\n%u 0 enter 1\n", thread, team, thread);
}

/* Both members of the outermost team begin. */
static void begin_events(void)
{
    text[0] = '\0';
    begin(0, 0);
    begin(1, 0);
}

static void end(unsigned thread, unsigned time, unsigned team)
{
    add("%u %u leave 2\n%u %u leave 1\n%u %u endteam %u\n", thread, time, thread, time, thread, time, team);
}

/* `dependence`: its string; 0: none. */
static void create(unsigned thread, unsigned time, unsigned team, unsigned number, unsigned dependence)
{
    add("%u %u enter %d\n%u %u create %u %u %u\n", thread, time, CREATE, thread, time, team, thread, number);
    if (dependence > 0)
        add("%u %u string %d %u\n", thread, time, DEPEND, dependence);
    add("%u %u leave %d\n", thread, time + 1, CREATE);
}

/* The thread executes a task that `by` created. */
static void execute_for(unsigned grain, unsigned region, unsigned thread, unsigned time, unsigned team,
                        unsigned by, unsigned number)
{
    add("%u %u switch %u %u %u\n%u %u enter %u\n", thread, time, team, by, number, thread, time, region);
    time += grain;
    add("%u %u leave %u\n%u %u complete %u %u %u\n%u %u switch %u %u 0\n", thread, time, region, thread, time,
        team, by, number, thread, time, team, thread);
}

static void execute(unsigned thread, unsigned time, unsigned team, unsigned by, unsigned number)
{
    execute_for(GRAIN, TASK, thread, time, team, by, number);
}

/* The chain of the tasks' site, in tasks. */
static void analyse(uint64_t chain)
{
    enum { NEAR = GRAIN / 100 };
    analysis_fixture_make(&(struct make_plan){.events = text, .more = write_regions});
    assert_int_equal(1, analysis_fixture->task_count);
    assert_in_range(analysis_fixture->tasks[0]->chain, chain * GRAIN - NEAR, chain * GRAIN + NEAR);
}

/* The finding about tasks that are waited for. */
static const struct omptape_finding *finding_of_chain(void)
{
    const struct omptape_finding *found = NULL;
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_TASK_CHAIN)
            found = &analysis_fixture->findings[i];
    assert_non_null(found);
    return found;
}

/* Enough tasks may run at a time: that threads wait is a fact, and what is to win is unknown. */
static void enough_may_run(void)
{
    const struct omptape_finding *finding = finding_of_chain();
    assert_non_null(strstr(finding->text, "parallelism of 2.0"));
    assert_int_equal(0, finding->gain);
    assert_true(finding->spent_wall > 0);
}

/* First one member creates and awaits tasks one by one, then the other one, which is waited for meanwhile. */
static void create_and_await(unsigned dependence_of_0, unsigned dependence_of_1)
{
    enum { WAITS = 6 };
    unsigned time = 100;
    begin_events();
    for (unsigned thread = 0; thread < 2; thread++) {
        for (unsigned i = 1; i <= WAITS; i++, time += GRAIN + 30) {
            create(thread, time, 0, i, thread == 0 ? dependence_of_0 : dependence_of_1);
            add("%u %u enter %d\n", thread, time + 10, TASKWAIT);
            execute(thread, time + 10, 0, thread, i);
            add("%u %u leave %d\n", thread, time + 20 + GRAIN, TASKWAIT);
        }
        add("%u %u enter 2\n", thread, time);
    }
    end(0, time + 10, 0);
    end(1, time + 10, 0);
}

static void independent_tasks_are_none(void **state)
{
    (void)state;
    create_and_await(0, 0);
    analyse(1);
    analysis_fixture_close();
}

static void members_wait_for_their_own(void **state)
{
    (void)state;
    create_and_await(ON_ONE, ON_ANOTHER);
    analyse(1);
    enough_may_run();
    analysis_fixture_close();
}

/* One member leaves the barrier early, and has executed a task when the other one leaves and creates one. */
static void early_leavers_tasks_are_behind_the_barrier(void **state)
{
    (void)state;
    begin_events();
    add("0 100 enter %d\n1 100 enter %d\n0 200 leave %d\n", BARRIER, BARRIER, BARRIER);
    create(0, 300, 0, 1, ON_ONE);
    execute(0, 400, 0, 0, 1);
    add("0 1000500 enter 2\n1 1000600 leave %d\n", BARRIER);
    create(1, 1000700, 0, 1, ON_ANOTHER);
    execute(1, 1000800, 0, 1, 1);
    add("1 2000900 enter 2\n");
    end(0, 2001000, 0);
    end(1, 2001000, 0);
    analyse(1);
    enough_may_run();
    analysis_fixture_close();
}

/* Two of a set, and what follows both. All three run one after the other. */
static void run_set(unsigned begin)
{
    create(0, begin + 100, 0, 1, IN_SET);
    create(0, begin + 200, 0, 2, IN_SET);
    create(0, begin + 300, 0, 3, ON_ONE);
    add("0 %u enter 2\n1 %u enter 2\n", begin + 400, begin + 400);
    execute(0, begin + 500, 0, 0, 1);
    execute(1, begin + 1000600, 0, 0, 2);
    execute(0, begin + 2000700, 0, 0, 3);
}

/* Threads wait for three tasks in all. Dependences explain the waiting of one thread for the chain of two. */
static void tasks_of_a_set_are_beside_each_other(void **state)
{
    (void)state;
    begin_events();
    run_set(0);
    end(0, 3001000, 0);
    end(1, 3001000, 0);
    analyse(2);
    assert_in_range(finding_of_chain()->gain, GRAIN - GRAIN / 100, GRAIN + GRAIN / 100);
    analysis_fixture_close();
}

/* Two parallel regions have the same graph, at the same place: the chains of both count. */
static void graph_of_two_regions(void **state)
{
    enum { SECOND = 4000000, END = SECOND + 3001000 };
    (void)state;
    begin_events();
    run_set(0);
    end(0, 3001000, 0);
    end(1, 3001000, 0);
    for (unsigned i = 0; i < 2; i++)
        add("%u %d team 0\n%u %d enter %d\n", i, SECOND, i, SECOND, OTHER);
    run_set(SECOND);
    for (unsigned i = 0; i < 2; i++)
        add("%u %d leave 2\n%u %d leave %d\n%u %d endteam 0\n", i, END, i, END, OTHER, i, END);
    analyse(2);
    assert_in_range(finding_of_chain()->gain, 2 * (GRAIN - GRAIN / 100), 2 * (GRAIN + GRAIN / 100));
    assert_non_null(strstr(finding_of_chain()->text, "parallelism of 1.5"));
    analysis_fixture_close();
}

/* A nested team names the address of a task of the outer one, which begins later. */
static void teams_are_apart(void **state)
{
    (void)state;
    begin_events();
    create(0, 100, 0, 1, ON_ONE);
    add("0 200 enter 2\n1 200 fork 1\n1 200 team 2\n1 200 enter 1\n");
    create(1, 300, 2, 1, ON_ONE);
    execute(1, 400, 2, 1, 1);
    add("1 1000500 enter 2\n");
    end(1, 1000600, 2);
    add("1 1000600 join\n");
    execute(0, 1000700, 0, 0, 1);
    add("1 2000800 enter 2\n");
    end(0, 2001000, 0);
    end(1, 2001000, 0);
    analyse(1);
    analysis_fixture_close();
}

/* A task without dependences is waited for after much work of others: it is not of their graph. */
static void one_task_after_many(void **state)
{
    enum { LONG = 20 * GRAIN };
    (void)state;
    begin_events();
    for (unsigned i = 1; i <= 3; i++)
        create(0, 100 * i, 0, i, 0);
    add("0 400 enter 2\n1 400 enter 2\n");
    execute_for(LONG, 3, 0, 500, 0, 0, 1);
    execute_for(LONG, 3, 1, 500, 0, 0, 2);
    execute(0, LONG + 600, 0, 0, 3);
    end(0, LONG + GRAIN + 700, 0);
    end(1, LONG + GRAIN + 700, 0);
    analysis_fixture_make(&(struct make_plan){.events = text, .more = write_regions});
    assert_non_null(strstr(finding_of_chain()->text, "threads wait"));
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(independent_tasks_are_none, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(members_wait_for_their_own, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(early_leavers_tasks_are_behind_the_barrier, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tasks_of_a_set_are_beside_each_other, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(graph_of_two_regions, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(teams_are_apart, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(one_task_after_many, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
