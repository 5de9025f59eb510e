/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An orphaned loop in a function that several loops of one region call; one call has a lopsided field.
 * Mended: chunks in turn.
//: share 0.25
//: scenario dynamic@HERE
*/
#include "work.h"

enum { FIELD = 400, STEPS = 40 };

static long flat[FIELD];
static long lopsided[FIELD];

APART void relax(const long *costs)
{
#pragma omp for schedule(static)
    for (long i = 0; i < FIELD; i++)
        keep(work(costs[i], -i));
}

APART void advance(const long *costs)
{
#pragma omp for schedule(static) /* HERE imbalance */
    for (long i = 0; i < FIELD; i++)
        keep(work(costs[i], i));
}

APART void advance_in_turn(const long *costs)
{
#pragma omp for schedule(static, 1)
    for (long i = 0; i < FIELD; i++)
        keep(work(costs[i], i));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long i = 0; i < FIELD; i++) {
        flat[i] = 30;
        lopsided[i] = i < FIELD / 2 ? 100 : 20;
    }
#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        relax(flat);
        if (run.mended)
            advance_in_turn(lopsided);
        else
            advance(lopsided);
        relax(flat);
    }
    return run_end();
}
