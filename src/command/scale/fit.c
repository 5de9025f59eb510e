/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits curves to the times of several numbers of threads (scale.h). There are three models. Amdahl's law is a
 * + b/P. Gunther's universal scalability law adds c(P - 1), so that times can grow again. Extra-P's normal
 * form with one term is a + b P^i log2(P)^j. All are linear in their factors, so least squares of relative
 * errors need no iteration.
 */
#include "src/command/scale/scale.h"

#include <math.h>

enum { MIN_SIZES = 3, MIN_SIZES_USL = 4, MIN_SIZES_NORMAL_FORM = 5 };

/* Maximum relative error of an accepted fit. */
static const double MAX_ERROR = 0.1;
/* If a simple curve's error is below this, no other exponents are tried. */
static const double GOOD_ERROR = 0.02;
/* Factor by which an additional parameter or chosen exponents must reduce the error. */
static const double MUCH_CLOSER = 0.7;
/* Share of the shortest time. A constant below it is rejected as negative; above it, it counts as zero. */
static const double MIN_CONSTANT = -0.05;

const char *scale_model_name(enum scale_model model)
{
    static const char *const names[] = {[SCALE_MODEL_NONE] = "",
                                        [SCALE_MODEL_AMDAHL] = "Amdahl",
                                        [SCALE_MODEL_USL] = "USL",
                                        [SCALE_MODEL_NORMAL_FORM] = "normal form"};
    return names[model];
}

static double term_of(const struct scale_term *term, double threads)
{
    return pow(threads, term->exponent) * pow(log2(threads), term->logarithms) - term->minus;
}

/* Inverts the left half of the matrix into its right half (Gauss-Jordan). False if it is singular. */
static bool invert(double matrix[SCALE_MAX_TERMS][2 * SCALE_MAX_TERMS], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned pivot = i;
        for (unsigned k = i + 1; k < n; k++)
            if (fabs(matrix[k][i]) > fabs(matrix[pivot][i]))
                pivot = k;
        if (fabs(matrix[pivot][i]) < 1e-12)
            return false;
        for (unsigned j = 0; j < 2 * n; j++) {
            const double swapped = matrix[i][j];
            matrix[i][j] = matrix[pivot][j];
            matrix[pivot][j] = swapped;
        }
        for (unsigned j = 2 * n; j-- > i;)
            matrix[i][j] /= matrix[i][i];
        for (unsigned k = 0; k < n; k++)
            for (unsigned j = 2 * n; k != i && j-- > i;)
                matrix[k][j] -= matrix[k][i] * matrix[i][j];
    }
    return true;
}

/* Computes the terms' factors from all times but number `without`. False if they are linearly dependent. */
static bool solve(struct scale_fit *fit, const double *threads, const double *times, uint32_t count,
                  uint32_t without)
{
    const unsigned n = fit->term_count;
    double matrix[SCALE_MAX_TERMS][2 * SCALE_MAX_TERMS] = {{0}};
    double right[SCALE_MAX_TERMS] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (unsigned row = 0; row < n && i != without; row++) {
            const double scaled = term_of(&fit->terms[row], threads[i]) / times[i];
            right[row] += scaled;
            for (unsigned column = 0; column < n; column++)
                matrix[row][column] += scaled * term_of(&fit->terms[column], threads[i]) / times[i];
        }
    for (unsigned row = 0; row < n; row++)
        matrix[row][n + row] = 1;
    if (!invert(matrix, n))
        return false;
    for (unsigned row = 0; row < n; row++) {
        fit->terms[row].seconds = 0;
        for (unsigned column = 0; column < n; column++) {
            fit->terms[row].seconds += matrix[row][n + column] * right[column];
            fit->inverse[row][column] = matrix[row][n + column];
        }
    }
    return true;
}

double scale_fit_time(const struct scale_fit *fit, double threads)
{
    double time = 0;
    for (unsigned i = 0; i < fit->term_count; i++)
        time += fit->terms[i].seconds * term_of(&fit->terms[i], threads);
    return time;
}

static double relative_square(const struct scale_fit *fit, double threads, double time)
{
    const double off = scale_fit_time(fit, threads) / time - 1;
    return off * off;
}

/* Fits the curve to all times and computes its error. Returns false if there are too few times. */
static bool fit_curve(struct scale_fit *fit, const double *threads, const double *times, uint32_t count)
{
    double squares = 0;
    if (count <= fit->term_count || !solve(fit, threads, times, count, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        squares += relative_square(fit, threads[i], times[i]);
    fit->freedom = count - fit->term_count;
    fit->error = sqrt(squares / fit->freedom);
    return true;
}

/* Returns the cross-validation error: the error of each time against the curve through the others. The fit's
 * own error is too small if the exponents were chosen by the same times. */
static double cross_error(const struct scale_fit *fit, const double *threads, const double *times,
                          uint32_t count)
{
    struct scale_fit without = *fit;
    double squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!solve(&without, threads, times, count, i))
            return HUGE_VAL;
        squares += relative_square(&without, threads[i], times[i]);
    }
    return sqrt(squares / count);
}

static bool is_possible(const struct scale_fit *fit, const double *times, uint32_t count)
{
    double min = times[0];
    for (uint32_t i = 1; i < count; i++)
        min = fmin(min, times[i]);
    return fit->terms[1].seconds > 0 && fit->terms[0].seconds >= MIN_CONSTANT * min;
}

/* Chooses those of Extra-P's exponents whose curve has the smallest cross-validation error. */
static void fit_normal_form(struct scale_fit *best, const double *threads, const double *times,
                            uint32_t count, bool is_weak)
{
    enum { MAX_LOGARITHMS = 2 };
    static const double exponents[] = {-2,   -1.5,    -1,  -0.75,   -2.0 / 3, -0.5, -1.0 / 3, -0.25, 0,
                                       0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75,     1,    1.5,      2};
    double min =
        best->model != SCALE_MODEL_NONE ? MUCH_CLOSER * cross_error(best, threads, times, count) : MAX_ERROR;
    for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++)
        for (int logarithms = 0; logarithms <= MAX_LOGARITHMS; logarithms++) {
            struct scale_fit fit = {
                .model = SCALE_MODEL_NORMAL_FORM,
                .term_count = 2,
                .terms = {{.exponent = 0}, {.exponent = exponents[i], .logarithms = logarithms}}};
            if ((exponents[i] == 0 && logarithms == 0) || (is_weak && exponents[i] < 0) ||
                !fit_curve(&fit, threads, times, count) || !is_possible(&fit, times, count))
                continue;
            fit.error = cross_error(&fit, threads, times, count);
            if (fit.error >= min)
                continue;
            min = fit.error;
            *best = fit;
        }
}

struct scale_fit scale_fit_times(const double *threads, const double *times, uint32_t count, double noise,
                                 bool is_weak)
{
    const struct scale_term one = {.exponent = 0};
    const struct scale_term shared = {.exponent = -1};
    const struct scale_term growing = {.exponent = 1, .minus = 1};
    struct scale_fit none = {.model = SCALE_MODEL_NONE};
    struct scale_fit amdahl = {.model = SCALE_MODEL_AMDAHL, .term_count = 2, .terms = {one, shared}};
    struct scale_fit usl = {.model = SCALE_MODEL_USL, .term_count = 3, .terms = {one, shared, growing}};
    struct scale_fit best = none;
    for (uint32_t i = 0; i < count; i++)
        if (times[i] <= 0 || threads[i] <= 0)
            return none;
    if (!is_weak && count >= MIN_SIZES && fit_curve(&amdahl, threads, times, count) &&
        amdahl.terms[1].seconds > 0 && amdahl.error <= MAX_ERROR)
        best = amdahl;
    if (!is_weak && count >= MIN_SIZES_USL && fit_curve(&usl, threads, times, count) &&
        usl.terms[1].seconds > 0 && usl.terms[2].seconds > 0 && usl.error <= MAX_ERROR &&
        (best.model == SCALE_MODEL_NONE || usl.error <= MUCH_CLOSER * best.error))
        best = usl;
    if (count >= MIN_SIZES_NORMAL_FORM && (best.model == SCALE_MODEL_NONE || best.error > GOOD_ERROR))
        fit_normal_form(&best, threads, times, count, is_weak);
    if (best.model != SCALE_MODEL_NORMAL_FORM)
        best.terms[0].seconds = fmax(best.terms[0].seconds, 0);
    best.error = best.model != SCALE_MODEL_NONE ? fmax(best.error, noise) : 0;
    best.max_threads = count > 0 ? threads[count - 1] : 0;
    best.constant_error = best.error * sqrt(fabs(best.inverse[0][0]));
    return best;
}

double scale_fit_half_interval(const struct scale_fit *fit, double threads)
{
    /* Student's t by degrees of freedom, two-sided, 90 %. */
    static const double likely[] = {6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81};
    enum { MAX_FREEDOM = sizeof(likely) / sizeof(likely[0]) };
    double variance = 0;
    for (unsigned i = 0; i < fit->term_count; i++)
        for (unsigned k = 0; k < fit->term_count; k++)
            variance +=
                term_of(&fit->terms[i], threads) * fit->inverse[i][k] * term_of(&fit->terms[k], threads);
    const uint32_t freedom = fit->freedom < MAX_FREEDOM ? fit->freedom : MAX_FREEDOM;
    return freedom > 0 ? likely[freedom - 1] * fit->error * sqrt(fabs(variance)) : HUGE_VAL;
}
