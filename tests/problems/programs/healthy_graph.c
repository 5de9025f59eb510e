/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Healthy: the graph of tasks of a tiled LU decomposition, with more tasks than threads at almost all times.
 */
#include "work.h"

enum { TILES = 14, UNITS = 60, TIMES = 8 };

static char tiles[TILES][TILES];

static void create(long units)
{
    for (long k = 0; k < TILES; k++) {
#pragma omp task depend(inout : tiles[k][k])
        keep(work(units / 2, k));
        for (long i = k + 1; i < TILES; i++) {
#pragma omp task depend(in : tiles[k][k]) depend(inout : tiles[i][k])
            keep(work(units, i));
#pragma omp task depend(in : tiles[k][k]) depend(inout : tiles[k][i])
            keep(work(units, -i));
        }
        for (long i = k + 1; i < TILES; i++)
            for (long j = k + 1; j < TILES; j++) {
#pragma omp task depend(in : tiles[i][k], tiles[k][j]) depend(inout : tiles[i][j])
                keep(work(2 * units, i * j));
            }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    const long times = run_scaled(&run, TIMES);

    for (long time = 0; time < times; time++)
#pragma omp parallel
#pragma omp single
        create(UNITS);
    return run_end();
}
