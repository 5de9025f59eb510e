/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of loops in which one thread takes longer (src/analysis/findings/sentences_loops.c): a loss that
 * an interruption explains gets no proposal. Three threads, exact times. Run by CTest on one thread; archives
 * are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <string.h>

enum { THREADS = 3, LOOP = 20, CHUNK, SHARE = 50 };

static void write_loop(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"!$omp for @a.c:12", "!$omp for chunk @a.c:12"};
    for (uint32_t i = 0; i < 2; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(
            writer, LOOP + i, MAKE_STRINGS + i, MAKE_STRINGS + i, MAKE_EMPTY_STRING, OTF2_REGION_ROLE_LOOP,
            OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 12, 0));
    }
}

/* A loop of `instances`, in which each thread works for 10 ms. In `late` of them thread 2 takes `more_us`
 * longer, and has `more` iterations beyond its share. */
struct plan {
    unsigned instances;
    unsigned late;
    unsigned more_us;
    unsigned more;
};

static void add_thread(const struct plan *plan, unsigned thread)
{
    enum { WORK_US = 10000 };
    uint64_t now = 1;
    analysis_fixture_add(thread, now, "team 1");
    analysis_fixture_add(thread, now, "enter 1");
    for (unsigned i = 0; i < plan->instances; i++) {
        const bool is_late = i < plan->late;
        const unsigned more = is_late ? plan->more : 0;
        analysis_fixture_add(thread, now, "uint 0 %u", THREADS * SHARE + more);
        analysis_fixture_add(thread, now, "enter %u", LOOP);
        analysis_fixture_add(thread, now, "uint 0 %u", SHARE + (thread == 2 ? more : 0));
        analysis_fixture_add(thread, now, "enter %u", CHUNK);
        const uint64_t end = now + WORK_US + (is_late ? plan->more_us : 0);
        const uint64_t arrival = thread == 2 ? end : now + WORK_US;
        analysis_fixture_add(thread, arrival, "leave %u", CHUNK);
        analysis_fixture_add(thread, arrival, "leave %u", LOOP);
        analysis_fixture_add(thread, arrival, "enter 2");
        analysis_fixture_add(thread, end, "leave 2");
        now = end;
    }
    analysis_fixture_add(thread, now, "leave 1");
    analysis_fixture_add(thread, now, "endteam 1");
}

/* Returns the finding; the caller closes the fixture. */
static const struct omptape_finding *analyse(const struct plan *plan)
{
    for (unsigned thread = 0; thread < THREADS; thread++)
        add_thread(plan, thread);
    analysis_fixture_make_added((struct make_plan){.more = write_loop});
    assert_true(analysis_fixture->finding_count > 0);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(OMPTAPE_FINDING_IMBALANCE, finding->kind);
    return finding;
}

/* Each instance loses two thirds of what thread 2 takes longer. */
static void one_interruption_gets_no_schedule(void **state)
{
    (void)state;
    const struct omptape_finding *finding = analyse(&(struct plan){8, 1, 10000, 0});
    assert_true(finding->is_slight);
    assert_string_equal("", finding->proposal);
    assert_non_null(strstr(finding->text, "interruptions of the processor take as long"));
    analysis_fixture_close();
}

static void few_interruptions_get_no_schedule(void **state)
{
    (void)state;
    const struct omptape_finding *finding = analyse(&(struct plan){40, 4, 10000, 0});
    assert_true(finding->is_slight);
    assert_string_equal("", finding->proposal);
    assert_non_null(strstr(finding->text, "in 4 of 40 instances one thread takes much longer"));
    analysis_fixture_close();
}

static void expect_proposal(const struct plan *plan)
{
    const struct omptape_finding *finding = analyse(plan);
    assert_false(finding->is_slight);
    assert_string_not_equal("", finding->proposal);
    analysis_fixture_close();
}

static void each_instance_is_late(void **state)
{
    (void)state;
    expect_proposal(&(struct plan){8, 8, 1200, 0});
}

static void two_instances_are_late(void **state)
{
    (void)state;
    expect_proposal(&(struct plan){8, 2, 4000, 0});
}

static void one_instance_is_later_than_an_interruption(void **state)
{
    (void)state;
    expect_proposal(&(struct plan){16, 1, 20000, 0});
}

static void one_instance_has_more_iterations(void **state)
{
    (void)state;
    expect_proposal(&(struct plan){8, 1, 10000, SHARE});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_interruption_gets_no_schedule, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(few_interruptions_get_no_schedule, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(each_instance_is_late, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_instances_are_late, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(one_instance_is_later_than_an_interruption, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(one_instance_has_more_iterations, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
