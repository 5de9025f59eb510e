/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bundled example: a small solver that shows a bit of everything OpenMP has, so that its timeline is
 * worth a look. scripts/quickstart compiles and traces it; it runs for about a second on two cores. Usage:
 * heat [STEPS]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, COLUMNS = 512, BLOCKS = 8 };

static double plate[2][ROWS][COLUMNS];

/* Loops: each row depends on the one before it in time only, so rows are shared out. */
static double relax(double (*from)[COLUMNS], double (*to)[COLUMNS])
{
    double change = 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : change)
    for (int row = 1; row < ROWS - 1; row++) {
        for (int column = 1; column < COLUMNS - 1; column++) {
            double average = (from[row - 1][column] + from[row + 1][column] + from[row][column - 1] +
                              from[row][column + 1]) /
                             4;

            change += (average - from[row][column]) * (average - from[row][column]);
            to[row][column] = average;
        }
    }
    return change;
}

static double sum_block(double (*field)[COLUMNS], int first, int last)
{
    double sum = 0;

    for (int row = first; row < last; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            sum += field[row][column];
        }
    }
    return sum;
}

/* Tasks: the plate is halved until the blocks are small. */
static double sum_halves(double (*field)[COLUMNS], int first, int last)
{
    double upper = 0;
    double lower = 0;
    int middle = (first + last) / 2;

    if (last - first <= ROWS / BLOCKS) {
        return sum_block(field, first, last);
    }
#pragma omp task shared(upper)
    upper = sum_halves(field, first, middle);
#pragma omp task shared(lower)
    lower = sum_halves(field, middle, last);
#pragma omp taskwait
    return upper + lower;
}

/* Locks: both threads fill one histogram, each bin behind its own lock. */
static void count_bins(double (*field)[COLUMNS], long *bins, omp_lock_t *locks, int number)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < ROWS; row++) {
        int bin = (int)(field[row][COLUMNS / 2] * number);

        bin = bin < 0 ? 0 : bin >= number ? number - 1 : bin;
        omp_set_lock(&locks[bin]);
        bins[bin]++;
        omp_unset_lock(&locks[bin]);
    }
}

/* Nested regions: an outer team whose members each lead one of their own. */
static double nested_maximum(double (*field)[COLUMNS])
{
    double maximum = 0;

#pragma omp parallel for num_threads(2)
    for (int half = 0; half < 2; half++) {
        double mine = 0;

#pragma omp parallel for num_threads(2) reduction(max : mine)
        for (int row = half * ROWS / 2; row < (half + 1) * ROWS / 2; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                mine = field[row][column] > mine ? field[row][column] : mine;
            }
        }
#pragma omp critical(maximum)
        maximum = mine > maximum ? mine : maximum;
    }
    return maximum;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    enum { BINS = 4 };
    long bins[BINS] = {0};
    omp_lock_t locks[BINS];
    double change = 0;
    double sum = 0;

    omp_set_max_active_levels(2);
    for (int i = 0; i < BINS; i++) {
        omp_init_lock(&locks[i]);
    }
    for (int column = 0; column < COLUMNS; column++) {
        plate[0][0][column] = plate[1][0][column] = 1;
    }
    for (int step = 0; step < steps; step++) {
        double(*now)[COLUMNS] = plate[(step + 1) % 2];

        change = relax(plate[step % 2], now);
        if (step % 50 == 49) {
#pragma omp parallel
            {
#pragma omp single
                sum = sum_halves(now, 0, ROWS);
            }
            count_bins(now, bins, locks, BINS);
        }
    }
    printf("after %d steps: change %.3g, sum %.4f, maximum %.2f, bins %ld %ld %ld %ld\n", steps, change, sum,
           nested_maximum(plate[steps % 2]), bins[0], bins[1], bins[2], bins[3]);
    for (int i = 0; i < BINS; i++) {
        omp_destroy_lock(&locks[i]);
    }
    return 0;
}
