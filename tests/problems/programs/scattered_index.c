/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values are read through an index in random order, so that each comes with a line of the cache of its own.
 * Mended: the index is in the order of memory.
//: proposal sort the index
*/
#include "work.h"

enum { VALUES = 1 << 23, STEPS = 60 };

static uint64_t *values;
static uint32_t *order;

/* An odd factor: each index comes once. */
APART void fill(bool sorted)
{
    values = malloc(sizeof(*values) * VALUES);
    order = malloc(sizeof(*order) * VALUES);
    if (values == NULL || order == NULL)
        exit(2);
#pragma omp parallel for num_threads(2)
    for (uint32_t i = 0; i < VALUES; i++) {
        values[i] = i * UINT64_C(7);
        order[i] = sorted ? i : i * 2654435761U % VALUES;
    }
}

APART uint64_t sum_up(void)
{
    uint64_t sum = 0;

#pragma omp parallel for num_threads(2) reduction(+ : sum) /* HERE scattered */
    for (long i = 0; i < VALUES; i++)                      /* HERE scattered */
        sum += values[order[i]];
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    fill(run.mended);
    for (long step = 0; step < steps; step++)
        keep(sum_up());
    free(values);
    free(order);
    return run_end();
}
