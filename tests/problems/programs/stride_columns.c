/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of the columns of a matrix that is stored by rows, one after the other. Mended: a row is added to all sums at
 * once.
//: proposal exchange the loops
*/
#include "work.h"

enum { ROWS = 4096, COLUMNS = 4096, STEPS = 60 };

static uint32_t (*matrix)[COLUMNS];
static uint64_t sums[COLUMNS];

APART void fill(void)
{
    matrix = malloc(sizeof(*matrix) * ROWS);
    if (matrix == NULL)
        exit(2);
#pragma omp parallel for num_threads(2)
    for (long row = 0; row < ROWS; row++)
        for (long column = 0; column < COLUMNS; column++)
            matrix[row][column] = (uint32_t)(row * 7 + column);
}

APART void by_columns(void)
{
#pragma omp parallel for num_threads(2)                 /* HERE stride */
    for (long column = 0; column < COLUMNS; column++) { /* HERE stride: on aarch64 clang names the loop itself */
        uint64_t sum = 0;
        for (long row = 0; row < ROWS; row++)
            sum += matrix[row][column];
        sums[column] += sum;
    }
}

APART void by_rows(void)
{
#pragma omp parallel num_threads(2)
    {
        long first = omp_get_thread_num() * (COLUMNS / 2);

        for (long row = 0; row < ROWS; row++)
            for (long column = first; column < first + COLUMNS / 2; column++)
                sums[column] += matrix[row][column];
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    fill();
    for (long step = 0; step < steps; step++)
        run.mended ? by_rows() : by_columns();
    for (long column = 0; column < COLUMNS; column++)
        keep(sums[column] * (uint64_t)(column + 1));
    free(matrix);
    return run_end();
}
