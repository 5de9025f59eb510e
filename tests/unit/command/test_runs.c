/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of runs: medians, and Mann and Whitney's test against tables and by hand.
 */
#include "src/command/report/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FOUR = 4, FIVE = 5 };

static void assert_close(double found, double expected)
{
    const double precision = 1e-9;
    if (fabs(found - expected) > precision)
        fail_msg("%.12g, expected %.12g", found, expected);
}

static void chances_are_exact(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3, 4};
    const double high[] = {5, 6, 7, 8, 9};
    const double mixed[] = {1.5, 2.5, 3.5, 4.5, 9};
    const double apart[] = {10, 11, 2.2, 12, 13};
    const double same[] = {4, 4, 4, 4};
    /* Of 126 ways to choose four of nine, two are as extreme. */
    assert_close(report_runs_chance(low, FOUR, high, FIVE), 2.0 / 126);
    assert_close(report_runs_chance(high, FIVE, low, FOUR), 2.0 / 126);
    /* U = 6 and 4 of 4 and 5 counted by hand: 52 and 8 ways. */
    assert_close(report_runs_chance(low, FOUR, mixed, FIVE), 52.0 / 126);
    assert_close(report_runs_chance(low, FOUR, apart, FIVE), 8.0 / 126);
    assert_close(report_runs_chance(low, 1, high, 1), 1);
    /* Ties: all are alike, or one group has half of them. */
    assert_close(report_runs_chance(same, FOUR, same, FOUR), 1);
    assert_close(report_runs_chance(low, FOUR, low, FOUR), 1);
}

static void levels_follow_the_number_of_runs(void **state)
{
    (void)state;
    assert_close(report_runs_level(FOUR, FOUR), 0.05);
    assert_true(report_runs_level(3, 3) > 0.1 && report_runs_level(3, 3) < 0.11);
    assert_true(report_runs_level(1, 1) >= 1);
}

static void medians_are_in_the_middle(void **state)
{
    (void)state;
    double values[] = {5, 1, 3, 9};
    assert_close(report_runs_median(values, 3), 3);
    assert_close(report_runs_median(values, FOUR), 4);
    assert_close(report_runs_median(values, 0), 0);
}

/* One row of each name. */
static void add_run(struct report_rows *all, const char *const names[], const double values[])
{
    struct report_rows run = {.runs = 1};
    for (uint32_t i = 0; names[i] != NULL; i++) {
        struct report_row row = {.kind = REPORT_ROW_REGION, .value = values[i], .values = {values[i]}};
        (void)snprintf(row.name, sizeof(row.name), "%s", names[i]);
        (void)snprintf(row.key, sizeof(row.key), "main %s", names[i]);
        assert_non_null(report_rows_add(&run, &row));
    }
    assert_int_equal(report_runs_merge(all, &run), 0);
    report_rows_free(&run);
}

static void runs_are_merged(void **state)
{
    (void)state;
    struct report_rows all = {0};
    add_run(&all, (const char *[]){"a", "b", NULL}, (const double[]){1, 7});
    add_run(&all, (const char *[]){"b", NULL}, (const double[]){9});
    add_run(&all, (const char *[]){"c", "a", NULL}, (const double[]){4, 3});
    assert_int_equal(all.runs, 3);
    assert_int_equal(all.count, 3);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct report_row *row = &all.list[i];
        const double expected[3][3] = {{1, 0, 3}, {7, 9, 0}, {0, 0, 4}};
        const double medians[] = {1, 7, 0};
        const int which = row->name[0] - 'a';
        assert_memory_equal(row->values, expected[which], sizeof(expected[0]));
        assert_close(row->value, medians[which]);
        assert_close(row->min, 0);
        assert_close(row->max, which == 0 ? 3 : which == 1 ? 9 : 4);
    }
    report_rows_free(&all);
}

static void too_many_runs_are_refused(void **state)
{
    (void)state;
    struct report_rows all = {.runs = REPORT_MAX_RUNS};
    struct report_rows run = {.runs = 1};
    assert_true(report_runs_merge(&all, &run) < 0);
    assert_int_equal(all.runs, REPORT_MAX_RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_are_exact),         cmocka_unit_test(levels_follow_the_number_of_runs),
        cmocka_unit_test(medians_are_in_the_middle), cmocka_unit_test(runs_are_merged),
        cmocka_unit_test(too_many_runs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
