/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What omptape scale makes of runs whose truth is known: curves, causes, and the number of threads from which
 * more do not pay.
 */
#include "src/command/scale/scale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIZES = 5 };
static const uint32_t numbers[SIZES] = {1, 2, 4, 8, 16};

static bool is_near(double found, double expected)
{
    return fabs(found - expected) <= 1e-6 * fabs(expected) + 1e-9;
}

static void curves_are_found(void **state)
{
    (void)state;
    double threads[SIZES];
    double amdahl[SIZES];
    double usl[SIZES];
    double noise[SIZES];
    for (int i = 0; i < SIZES; i++) {
        threads[i] = numbers[i];
        amdahl[i] = 2 + 8 / threads[i];
        usl[i] = 1 + 8 / threads[i] + 0.125 * (threads[i] - 1);
        noise[i] = i % 2 == 0 ? 3 : 1;
    }
    struct scale_fit fit = scale_fit_times(threads, amdahl, SIZES, 0, false);
    assert_int_equal(fit.model, SCALE_MODEL_AMDAHL);
    assert_true(is_near(fit.terms[0].seconds, 2) && is_near(fit.terms[1].seconds, 8));
    fit = scale_fit_times(threads, usl, SIZES, 0, false);
    assert_int_equal(fit.model, SCALE_MODEL_USL);
    assert_true(is_near(fit.terms[0].seconds, 1) && is_near(fit.terms[1].seconds, 8) &&
                is_near(fit.terms[2].seconds, 0.125));
    assert_int_equal(scale_fit_times(threads, usl, 3, 0, false).model,
                     SCALE_MODEL_AMDAHL); /* they cannot tell more */
    assert_int_equal(scale_fit_times(threads, amdahl, 2, 0, false).model, SCALE_MODEL_NONE);
    assert_int_equal(scale_fit_times(threads, noise, SIZES, 0, false).model, SCALE_MODEL_NONE);
}

/* Extra-P's form takes five sizes; where the times are of no other form it is found. */
static void normal_forms_are_found(void **state)
{
    (void)state;
    double threads[SIZES];
    double shrinking[SIZES];
    double logarithm[SIZES];
    for (int i = 0; i < SIZES; i++) {
        threads[i] = numbers[i];
        shrinking[i] = 1 + 8 * pow(threads[i], -0.5);
        logarithm[i] = 4 + 0.5 * log2(threads[i]);
    }
    struct scale_fit fit = scale_fit_times(threads, shrinking, SIZES, 0, false);
    assert_int_equal(fit.model, SCALE_MODEL_NORMAL_FORM);
    assert_true(is_near(fit.terms[1].exponent, -0.5) && fit.terms[1].logarithms == 0);
    assert_true(is_near(scale_fit_time(&fit, 64), 2));
    fit = scale_fit_times(threads, logarithm, SIZES, 0, true);
    assert_int_equal(fit.model, SCALE_MODEL_NORMAL_FORM);
    assert_true(fit.terms[1].exponent == 0 && fit.terms[1].logarithms == 1);
    assert_int_not_equal(scale_fit_times(threads, shrinking, 4, 0, false).model, SCALE_MODEL_NORMAL_FORM);
    assert_int_equal(scale_fit_times(threads, logarithm, 4, 0, true).model, SCALE_MODEL_NONE);
}

/* Three exact times say what six threads take; noise, or a curve that is off, makes that doubtful. */
static void doubt_grows_with_noise(void **state)
{
    (void)state;
    const double threads[] = {1, 2, 4};
    const double times[] = {10, 6, 4};
    const double bent[] = {10, 6, 4.6};
    struct scale_fit fit = scale_fit_times(threads, times, 3, 0, false);
    assert_true(is_near(scale_fit_time(&fit, 8), 3) && scale_fit_half_interval(&fit, 8) < 1e-6);
    fit = scale_fit_times(threads, times, 3, 0.05, false);
    assert_true(is_near(fit.error, 0.05) && scale_fit_half_interval(&fit, 8) > 0.6);
    fit = scale_fit_times(threads, bent, 3, 0, false);
    assert_true(scale_fit_half_interval(&fit, 8) > 0.6);
}

/* Is the region nearly all of its parallel region? */
static bool dominates_parallel = true;

/* A row of `seconds` of wall time, of whose thread time so much is lost. */
static void add_row(struct report_rows *rows, enum report_row_kind kind, const char *name, double seconds,
                    uint32_t threads, enum report_loss loss, double lost)
{
    struct report_row row = {.kind = kind,
                             .value = seconds,
                             .elapsed = seconds,
                             .values = {seconds},
                             .dominates_parallel = dominates_parallel,
                             .construct = OMPTAPE_REGION_LOOP};
    (void)snprintf(row.name, sizeof(row.name), "%s", name);
    (void)snprintf(row.key, sizeof(row.key), "main %s", name);
    row.losses[REPORT_LOSS_COMPUTING] = seconds * threads - lost;
    row.losses[loss] += lost;
    assert_non_null(report_rows_add(rows, &row));
}

static void add_counts(struct report_rows *rows, uint32_t threads, uint32_t processors)
{
    const struct report_row counts[] = {
        {.kind = REPORT_ROW_COUNT, .name = "processes", .value = 1},
        {.kind = REPORT_ROW_COUNT, .name = "threads", .value = threads},
        {.kind = REPORT_ROW_MACHINE, .name = "nodes", .value = 1},
        {.kind = REPORT_ROW_MACHINE, .name = "processors", .value = processors},
        {.kind = REPORT_ROW_MACHINE, .name = "oversubscribed", .value = threads > processors}};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        assert_non_null(report_rows_add(rows, &counts[i]));
    rows->runs = 1;
}

/* Time and lost thread time of one region by its threads; the rest of the program takes a second. */
typedef double model(double threads);

static void make_scale(struct scale *scale, model *time, model *lost, enum report_loss loss,
                       uint32_t processors)
{
    scale->program = "model";
    for (int i = SIZES; i-- > 0;)
        for (int run = 0; run < 3; run++) {
            struct report_rows rows = {0};
            const uint32_t threads = numbers[i];
            const double seconds = time(threads) * (1 + 0.001 * run);
            add_counts(&rows, threads, processors);
            add_row(&rows, REPORT_ROW_WHOLE, "wall", seconds + 1, threads, loss, lost(threads));
            add_row(&rows, REPORT_ROW_REGION, "for @a.c:1", seconds, threads, loss, lost(threads));
            assert_int_equal(scale_add_run(scale, &rows, 0), 0);
        }
    assert_int_equal(scale_finish(scale), 0);
    assert_int_equal(scale->size_count, SIZES);
    assert_int_equal(scale->part_count, 2);
}

static double ideal(double threads)
{
    return 8 / threads;
}

static double nothing(double threads)
{
    return 0 * threads;
}

static double waiting(double threads)
{
    return (ideal(threads) + 2 * (1 - 1 / threads)) * threads - 8;
}

static double limited(double threads)
{
    return ideal(threads) + 2 * (1 - 1 / threads);
}

static double growing(double threads)
{
    return 8 / fmin(threads, 4) + 0.5 * fmax(threads - 4, 0);
}

static double lost_growing(double threads)
{
    return growing(threads) * threads - 8;
}

static void what_scales_has_no_cause(void **state)
{
    (void)state;
    struct scale scale = {0};
    make_scale(&scale, ideal, nothing, REPORT_LOSS_LOCK, 16);
    const struct scale_part *region = &scale.parts[1];
    assert_string_equal(region->name, "for @a.c:1");
    assert_int_equal(region->best, SIZES - 1);
    assert_false(region->stops_scaling);
    assert_int_equal(region->cause_count, 0);
    assert_true(is_near(region->computation, 1));
    assert_true(is_near(scale.sizes[3].speedup, (1 + 8 * 1.001) / (1 + 1.001))); /* of the middle runs */
    assert_true(is_near(scale.sizes[3].efficiency, scale.sizes[3].speedup / 8));
    scale_free(&scale);
}

static void causes_are_named(void **state)
{
    (void)state;
    for (int loss = 0; loss < REPORT_LOSSES; loss++) {
        struct scale scale = {0};
        make_scale(&scale, limited, loss == REPORT_LOSS_COMPUTING ? nothing : waiting, (enum report_loss)loss,
                   16);
        const struct scale_part *region = &scale.parts[1];
        assert_int_equal(region->cause_count, 1);
        assert_int_equal(region->causes[0].loss, loss);
        assert_int_equal(region->fit.model, SCALE_MODEL_AMDAHL);
        assert_non_null(strstr(scale.parts[0].text, "Amdahl"));
        assert_int_equal(region->prediction.threads, 32);
        assert_true(fabs(region->prediction.time / 1.001 - limited(32)) < 0.01);
        assert_int_equal(region->prediction.enough, 16); /* 32 threads take 2.19 s in place of 2.38 s */
        assert_true(region->is_serial || strstr(region->text, "; 32 threads would take 2.19 s +- ") != NULL);
        scale_free(&scale);
    }
}

static void the_best_number_is_found(void **state)
{
    (void)state;
    struct scale scale = {0};
    make_scale(&scale, growing, lost_growing, REPORT_LOSS_LOCK, 16);
    const struct scale_part *region = &scale.parts[1];
    assert_true(region->stops_scaling);
    assert_int_equal(scale.sizes[region->best].threads, 4);
    assert_true(is_near(region->gain, (growing(16) - growing(4)) * 1.001));
    assert_non_null(strstr(region->text, "stops paying at 4 threads: 2.00 s, and 8.01 s with 16 threads"));
    assert_non_null(
        strstr(region->text, "With num_threads(4) there the program would take about 3.00 s in place"));
    scale_free(&scale);
}

/* A number of threads would be one for other constructs, too. */
static void no_number_is_proposed_for_others(void **state)
{
    (void)state;
    struct scale scale = {0};
    dominates_parallel = false;
    make_scale(&scale, growing, lost_growing, REPORT_LOSS_LOCK, 16);
    dominates_parallel = true;
    assert_non_null(strstr(scale.parts[1].text, "stops paying at 4 threads"));
    assert_null(strstr(scale.parts[1].text, "num_threads"));
    scale_free(&scale);
}

/* Threads that share processors say nothing of the program. */
static void too_few_processors_are_no_cause(void **state)
{
    (void)state;
    struct scale scale = {0};
    make_scale(&scale, growing, lost_growing, REPORT_LOSS_LOCK, 4);
    assert_true(scale.sizes[3].is_oversubscribed && !scale.sizes[2].is_oversubscribed);
    assert_int_equal(scale.parts[1].compared_size, 2);
    assert_int_equal(scale.parts[1].cause_count, 0);
    assert_non_null(strstr(scale.parts[1].text, "16 threads on 4 processors"));
    assert_int_equal(scale.parts[1].prediction.threads, 0); /* eight were tried */
    scale_free(&scale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_found),
        cmocka_unit_test(normal_forms_are_found),
        cmocka_unit_test(doubt_grows_with_noise),
        cmocka_unit_test(what_scales_has_no_cause),
        cmocka_unit_test(causes_are_named),
        cmocka_unit_test(the_best_number_is_found),
        cmocka_unit_test(no_number_is_proposed_for_others),
        cmocka_unit_test(too_few_processors_are_no_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
