/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of steps that take longer than the others, and of steps that grow
 * (src/analysis/findings/slow_steps.c): numbered steps, each with a region of two threads. Exact times. Run
 * by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <string.h>

enum { STEP = 20, SOLVER, NUMBER = 2, SLOW = 5, MS = 1000 };

static void write_steps(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"time step", "solver", "step"};
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
    for (uint32_t i = 0; i < 2; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(
            writer, STEP + i, MAKE_STRINGS + i, MAKE_STRINGS + i, MAKE_EMPTY_STRING, OTF2_REGION_ROLE_CODE,
            OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, MAKE_EMPTY_STRING, 0, 0));
    make_succeed(
        OTF2_GlobalDefWriter_WriteParameter(writer, NUMBER, MAKE_STRINGS + 2, OTF2_PARAMETER_TYPE_UINT64));
}

/* Steps from number `first` on. In each both threads work for `usual` us; from step SLOW on, `slow` steps
 * take `more` us longer. */
struct plan {
    unsigned first;
    unsigned steps;
    unsigned usual;
    unsigned slow;
    unsigned more;
    unsigned growth; /* us by which each step is longer than the one before */
    bool of_one;     /* only thread 1 works longer */
    bool lacks;      /* has no processor in that time */
    bool has_solver; /* within each step */
};

/* Both threads work in a region until their times, and wait for each other. Returns the end. */
static uint64_t add_region(uint64_t begin, const uint64_t arrivals[2])
{
    const uint64_t end = arrivals[0] > arrivals[1] ? arrivals[0] : arrivals[1];
    analysis_fixture_add(0, begin, "fork 2");
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, begin, "team 0");
        analysis_fixture_add(thread, begin, "enter 1");
        analysis_fixture_add(thread, arrivals[thread], "enter 2");
        analysis_fixture_add(thread, end, "leave 2");
        analysis_fixture_add(thread, end, "leave 1");
        analysis_fixture_add(thread, end, "endteam 0");
    }
    analysis_fixture_add(0, end, "join");
    return end;
}

/* The kernel's sums of both threads, which ran or lacked a processor until now. */
static void add_readings(uint64_t now, uint64_t lacked)
{
    for (unsigned thread = 0; thread < 2; thread++)
        analysis_fixture_add(thread, now, "metric 0 %u %u", (unsigned)(now - lacked) * 1000,
                             (unsigned)lacked * 1000 + 1);
}

static uint64_t add_step(const struct plan *plan, unsigned number, uint64_t begin)
{
    const unsigned place = number - plan->first;
    const bool is_slow = place + 1 >= SLOW && place + 1 < SLOW + plan->slow;
    const uint64_t usual = begin + plan->usual + (uint64_t)place * plan->growth;
    const uint64_t late = usual + (is_slow ? plan->more : 0);
    analysis_fixture_add(0, begin, "enter %u", STEP);
    analysis_fixture_add(0, begin, "unsigned %u %u", NUMBER, number);
    if (plan->has_solver)
        analysis_fixture_add(0, begin, "enter %u", SOLVER);
    if (plan->lacks)
        add_readings(begin, place >= SLOW ? plan->more : 0);
    const uint64_t end = add_region(begin, (const uint64_t[]){plan->of_one ? usual : late, late});
    if (plan->has_solver)
        analysis_fixture_add(0, end, "leave %u", SOLVER);
    analysis_fixture_add(0, end, "leave %u", STEP);
    return end;
}

static void analyse(const struct plan *plan)
{
    uint64_t now = 1;
    analysis_fixture_add(0, now, "program");
    analysis_fixture_add(0, now, "enter 0");
    for (unsigned i = 0; i < plan->steps; i++)
        now = add_step(plan, plan->first + i, now);
    analysis_fixture_add(0, now, "leave 0");
    analysis_fixture_add(0, now, "endprogram");
    analysis_fixture_make_added((struct make_plan){.more = write_steps});
}

static void expect_none(const struct plan *plan)
{
    analyse(plan);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_TREND).count);
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        assert_null(analysis_fixture->findings[i].slow);
    analysis_fixture_close();
}

/* Returns the first finding; the caller closes the fixture. */
static const struct omptape_finding *expect_first(const struct plan *plan, enum omptape_finding_kind kind,
                                                  const char *text)
{
    analyse(plan);
    assert_true(analysis_fixture->finding_count > 0);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(kind, finding->kind);
    if (strncmp(text, finding->text, strlen(text)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", finding->text, text);
    return finding;
}

static void one_step_is_slow(void **state)
{
    (void)state;
    const struct omptape_finding *finding =
        expect_first(&(struct plan){.first = 1, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 30 * MS},
                     OMPTAPE_FINDING_OUTLIER,
                     "time step 5 of 12 takes 40 ms, 4.0 times the median of 10 ms: all threads compute");
    assert_int_equal(30000000, finding->gain);
    assert_int_equal(1, finding->count);
    analysis_fixture_close();
}

/* After a restart numbers do not begin at 1. */
static void numbers_may_begin_anywhere(void **state)
{
    (void)state;
    (void)expect_first(
        &(struct plan){.first = 1000, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 30 * MS},
        OMPTAPE_FINDING_OUTLIER, "time step 1004 takes 40 ms");
    analysis_fixture_close();
}

static void slow_steps_of_one_reason_are_one(void **state)
{
    (void)state;
    const struct omptape_finding *finding =
        expect_first(&(struct plan){.first = 1, .steps = 12, .usual = 10 * MS, .slow = 3, .more = 30 * MS},
                     OMPTAPE_FINDING_OUTLIER, "time step 5 of 12 takes 40 ms");
    assert_int_equal(90000000, finding->gain);
    assert_int_equal(3, finding->count);
    assert_non_null(strstr(finding->text, "3 such are 90 ms above the median in all"));
    analysis_fixture_close();
}

/* What the other thread waits for has a finding already. */
static void an_imbalance_names_its_step(void **state)
{
    (void)state;
    const struct omptape_finding *finding = expect_first(
        &(struct plan){.first = 1, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 30 * MS, .of_one = true},
        OMPTAPE_FINDING_IMBALANCE, "time step 5 of 12 takes 40 ms");
    assert_int_equal(15000000, finding->gain);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count);
    analysis_fixture_close();
}

/* The numbered one is reported. */
static void a_phase_within_a_step_is_named_with_it(void **state)
{
    (void)state;
    const struct omptape_finding *finding = expect_first(
        &(struct plan){
            .first = 1, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 30 * MS, .has_solver = true},
        OMPTAPE_FINDING_OUTLIER, "time step 5 of 12 takes 40 ms");
    assert_non_null(strstr(finding->text, "most of it in solver 5 of 12"));
    assert_int_equal(1, analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count);
    analysis_fixture_close();
}

static void a_step_without_a_processor_is_none(void **state)
{
    (void)state;
    struct plan plan = {.first = 1, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 30 * MS, .lacks = true};
    expect_none(&plan);
}

static void few_steps_have_no_usual_time(void **state)
{
    (void)state;
    expect_none(&(struct plan){.first = 1, .steps = 7, .usual = 10 * MS, .slow = 1, .more = 30 * MS});
}

/* Four of twelve. */
static void what_many_steps_take_is_usual(void **state)
{
    (void)state;
    expect_none(&(struct plan){.first = 1, .steps = 12, .usual = 10 * MS, .slow = 4, .more = 30 * MS});
}

static void a_short_excess_is_none(void **state)
{
    (void)state;
    expect_none(&(struct plan){.first = 1, .steps = 12, .usual = MS / 10, .slow = 1, .more = MS - 1});
    check_remove_folder(NULL);
    check_make_folder(NULL);
    expect_none(&(struct plan){.first = 1, .steps = 12, .usual = 10 * MS, .slow = 1, .more = 5 * MS});
}

static void steps_grow(void **state)
{
    (void)state;
    const struct omptape_finding *finding = expect_first(
        &(struct plan){.first = 1, .steps = 24, .usual = 10 * MS, .growth = MS / 2}, OMPTAPE_FINDING_TREND,
        "it takes longer from one to the next: 12 ms in the first quarter of 24, 20 ms in the last one");
    assert_int_equal(24, finding->count);
    analysis_fixture_close();
}

/* Fewer than 20 steps show no trend. */
static void few_steps_do_not_grow(void **state)
{
    (void)state;
    expect_none(&(struct plan){.first = 1, .steps = 19, .usual = 10 * MS, .growth = MS / 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_step_is_slow, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(numbers_may_begin_anywhere, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(slow_steps_of_one_reason_are_one, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(an_imbalance_names_its_step, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_phase_within_a_step_is_named_with_it, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_step_without_a_processor_is_none, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(few_steps_have_no_usual_time, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(what_many_steps_take_is_usual, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_short_excess_is_none, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(steps_grow, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(few_steps_do_not_grow, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
