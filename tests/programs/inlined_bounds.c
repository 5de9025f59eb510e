/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops whose bounds are told by functions that are inlined: each still stands where the user wrote it, not where
 * they are.
//: cflags -O2
//: threads 2
//: enter parallel@region 2
//: [clang] enter for@loop 2
//: [gcc] enter for@loop 2
//: enter for@other 2
*/
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int rows, halo;
};

static inline int first(const struct grid *grid)
{
    return grid->halo / 3;
}

static inline int last(const struct grid *grid)
{
    return grid->rows - grid->halo / 7;
}

static inline void sweep(const struct grid *grid, int *sum)
{
#pragma omp for schedule(guided) // @other
    for (int i = first(grid); i < last(grid); i++) {
#pragma omp atomic
        *sum += i;
    }
}

int main(int argc, char **argv)
{
    struct grid grid = {argc > 1 ? atoi(argv[1]) : 100, argc + 10};
    int sum = 0;

#pragma omp parallel num_threads(2) // @region
    {
#pragma omp for schedule(dynamic, 4) // @loop
        for (int i = first(&grid); i < last(&grid); i++) {
#pragma omp atomic
            sum += i;
        }
        sweep(&grid, &sum);
    }
    printf("%d\n", sum);
    return 0;
}
