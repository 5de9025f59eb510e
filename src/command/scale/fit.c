/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Curves through the times of several numbers of threads (scale.h). Amdahl's is a + b/P; Gunther's universal
 * scalability law adds c(P - 1), which makes times grow again. Both are linear in their parameters, so that
 * least squares of relative errors need no iteration.
 */
#include "src/command/scale/scale.h"

#include <math.h>
#include <string.h>

enum { PARAMETERS = 3, LEAST_SIZES = 3, LEAST_OF_USL = 4 };

/* A fit whose times are further off than that says nothing. */
static const double MOST_ERROR = 0.1;
/* So much closer the curve with one more parameter has to be. */
static const double MUCH_CLOSER = 0.7;

static double term(unsigned parameter, double threads)
{
    return parameter == 0 ? 1 : parameter == 1 ? 1 / threads : threads - 1;
}

/* Gauss and Jordan: the inverse takes the matrix's place. */
static bool invert(double matrix[PARAMETERS][2 * PARAMETERS], unsigned n)
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

/* With the first `n` parameters. False: they cannot be told apart. */
static bool solve(const double *threads, const double *times, uint32_t count, unsigned n,
                  double parameters[PARAMETERS], double *error, double *first_error)
{
    double matrix[PARAMETERS][2 * PARAMETERS] = {{0}};
    double right[PARAMETERS] = {0};
    double squares = 0;
    memset(parameters, 0, PARAMETERS * sizeof(parameters[0]));
    for (uint32_t i = 0; i < count; i++)
        for (unsigned row = 0; row < n; row++) {
            const double scaled = term(row, threads[i]) / times[i];
            right[row] += scaled;
            for (unsigned column = 0; column < n; column++)
                matrix[row][column] += scaled * term(column, threads[i]) / times[i];
        }
    for (unsigned row = 0; row < n; row++)
        matrix[row][n + row] = 1;
    if (!invert(matrix, n))
        return false;
    for (unsigned row = 0; row < n; row++)
        for (unsigned column = 0; column < n; column++)
            parameters[row] += matrix[row][n + column] * right[column];
    for (uint32_t i = 0; i < count; i++) {
        double time = 0;
        for (unsigned row = 0; row < n; row++)
            time += parameters[row] * term(row, threads[i]);
        squares += (time - times[i]) * (time - times[i]) / (times[i] * times[i]);
    }
    *error = count > n ? sqrt(squares / (count - n)) : 0;
    *first_error = *error * sqrt(fabs(matrix[0][n]));
    return true;
}

struct scale_fit scale_fit_times(const double *threads, const double *times, uint32_t count)
{
    struct scale_fit fit = {.model = SCALE_MODEL_NONE};
    double parameters[PARAMETERS];
    double error = 0;
    double first_error = 0;
    for (uint32_t i = 0; i < count; i++)
        if (times[i] <= 0 || threads[i] <= 0)
            return fit;
    if (count >= LEAST_SIZES && solve(threads, times, count, 2, parameters, &error, &first_error) &&
        parameters[1] > 0) {
        fit.constant = fmax(parameters[0], 0);
        fit.shared = parameters[1];
        fit.error = error;
        fit.constant_error = first_error;
        fit.model = error <= MOST_ERROR ? SCALE_MODEL_AMDAHL : SCALE_MODEL_NONE;
    }
    if (count < LEAST_OF_USL || !solve(threads, times, count, PARAMETERS, parameters, &error, &first_error) ||
        parameters[1] <= 0 || parameters[2] <= 0 || error > MOST_ERROR ||
        (fit.model != SCALE_MODEL_NONE && error > MUCH_CLOSER * fit.error))
        return fit;
    return (struct scale_fit){.model = SCALE_MODEL_USL,
                              .constant = fmax(parameters[0], 0),
                              .shared = parameters[1],
                              .growing = parameters[2],
                              .error = error,
                              .constant_error = first_error};
}
