/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the waiting in doacross loops (src/analysis/loops.c): two threads, exact times. Run by CTest
 * on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

enum { LOOP = 20, ORDERED = 21, SOURCE = 2, SINK = 3 };

static void write_loop(OTF2_GlobalDefWriter *writer)
{
    static const char *const texts[] = {"!$omp for @a.c:12", "depend source", "depend sink", "!$omp ordered"};
    for (uint32_t i = 0; i < 4; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, texts[i]));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, LOOP, MAKE_STRINGS, MAKE_STRINGS, MAKE_EMPTY_STRING,
                                                  OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP,
                                                  OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 12, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(
        writer, ORDERED, MAKE_STRINGS + 3, MAKE_STRINGS + 3, MAKE_EMPTY_STRING, OTF2_REGION_ROLE_ORDERED,
        OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, MAKE_EMPTY_STRING, 0, 0));
    make_succeed(
        OTF2_GlobalDefWriter_WriteParameter(writer, SOURCE, MAKE_STRINGS + 1, OTF2_PARAMETER_TYPE_UINT64));
    make_succeed(
        OTF2_GlobalDefWriter_WriteParameter(writer, SINK, MAKE_STRINGS + 2, OTF2_PARAMETER_TYPE_UINT64));
}

/* How long threads waited for iterations of others, and how often. */
static struct omptape_finding waited_for(const char *events)
{
    analysis_fixture_make(&(struct make_plan){.events = events, .more = write_loop});
    struct omptape_finding sum = analysis_fixture_sum(OMPTAPE_FINDING_LOCK);
    if (sum.region != NULL)
        assert_int_equal(LOOP, sum.region->definition->id);
    sum.region = NULL; /* which ends with the analysis */
    analysis_fixture_close();
    return sum;
}

#define BEGIN "0 0 team 0\n0 0 enter 1\n0 0 enter 20\n1 0 team 0\n1 0 enter 1\n1 0 enter 20\n"
#define END                                                                                                  \
    "0 4002000 leave 20\n0 4002000 enter 2\n0 4002500 leave 2\n0 4002500 leave 1\n0 4002500 endteam 0\n"     \
    "1 4002000 leave 20\n1 4002000 enter 2\n1 4002500 leave 2\n1 4002500 leave 1\n1 4002500 endteam 0\n"

/* Each begins when the iteration before is done. */
static void one_after_the_other(void **state)
{
    (void)state;
    struct omptape_finding found =
        waited_for(BEGIN "0 1000000 unsigned 2 0\n1 1000500 unsigned 3 0\n1 2000500 unsigned 2 1\n"
                         "0 2001000 unsigned 3 1\n0 3001000 unsigned 2 2\n1 3001500 unsigned 3 2\n1 4001500 "
                         "unsigned 2 3\n" END);
    assert_int_equal(3, found.count);
    assert_in_range(found.waited, 3001000, 3001001); /* 1000000 + 1000500 + 1000500 */
    assert_in_range(found.gain, 1500000, 1500500);
}

/* What it depends on was long done when it came to it. */
static void nobody_waits(void **state)
{
    (void)state;
    struct omptape_finding found =
        waited_for(BEGIN "0 1000000 unsigned 2 0\n1 1500500 unsigned 3 0\n1 2000500 unsigned 2 1\n"
                         "0 2003000 unsigned 3 1\n0 3001000 unsigned 2 2\n1 3005500 unsigned 3 2\n1 4001500 "
                         "unsigned 2 3\n" END);
    assert_int_equal(0, found.count);
}

/* Its own iteration, and one that somebody else has not just done. */
static void other_iterations(void **state)
{
    (void)state;
    struct omptape_finding found =
        waited_for(BEGIN "0 1000000 unsigned 2 0\n0 1000500 unsigned 3 0\n1 1001000 unsigned 3 7\n" END);
    assert_int_equal(0, found.count);
}

/* Rows that are recorded as one last as long as the thread waited in them: for the loop, unless that is
 * short.
 */
static void rows_wait(void **state)
{
    (void)state;
    struct omptape_finding found =
        waited_for(BEGIN "0 1000000 enter 21\n0 1500000 leave 21\n1 2000000 enter 21\n1 2000100 leave 21\n"
                         "1 2500000 enter 21\n1 3000000 leave 21\n" END);
    assert_int_equal(2, found.count);
    assert_int_equal(1000000, found.waited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_after_the_other, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nobody_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(other_iterations, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(rows_wait, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
