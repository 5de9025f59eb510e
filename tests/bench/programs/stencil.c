/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel that OpenMP events hardly disturb: a five-point stencil on a square of doubles, one parallel loop
 * a sweep. Run by tests/bench/run.py. Usage: stencil SIDE SWEEPS
 */
#include "bench.h"

#include <stdlib.h>

static double *grid[2];
static long side;

static double start_value(long row, long column)
{
    return (double)(2 * row + 3 * column);
}

/* The grid starts as a plane, the average of four neighbours keeps it so, and every sweep lifts it by one:
 * whole numbers all the time, so that the result is exactly known and a row that was left out shows. */
static void sweep(const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < side; row++) {
        const double *middle = from + row * side;
        double *out = to + row * side;
        if (row == 0 || row == side - 1) {
            for (long column = 0; column < side; column++)
                out[column] = middle[column] + 1.0;
            continue;
        }
        out[0] = middle[0] + 1.0;
        for (long column = 1; column < side - 1; column++)
            out[column] = 0.25 * (middle[column - side] + middle[column - 1] + middle[column + 1] +
                                  middle[column + side]) +
                          1.0;
        out[side - 1] = middle[side - 1] + 1.0;
    }
}

static int is_right(const double *result, long sweeps)
{
    for (long row = 0; row < side; row++) {
        for (long column = 0; column < side; column++)
            if (result[row * side + column] != start_value(row, column) + (double)sweeps)
                return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    side = argc > 1 ? atol(argv[1]) : 1024;
    long sweeps = argc > 2 ? atol(argv[2]) : 100;
    if (side < 3 || sweeps < 1)
        return 2;
    for (int i = 0; i < 2; i++) {
        grid[i] = malloc((size_t)side * (size_t)side * sizeof(double));
        if (grid[i] == NULL)
            return 2;
    }
#pragma omp parallel for schedule(static)
    for (long row = 0; row < side; row++) {
        for (long column = 0; column < side; column++) {
            grid[0][row * side + column] = start_value(row, column);
            grid[1][row * side + column] = 0.0;
        }
    }
    uint64_t begin = bench_ns();
    for (long i = 0; i < sweeps; i++)
        sweep(grid[i % 2], grid[(i + 1) % 2]);
    return bench_finish(begin, is_right(grid[sweeps % 2], sweeps));
}
