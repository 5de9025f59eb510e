/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In each step each thread gets a copy of a table of which it reads a few elements (firstprivate).
 * Mended: they share it.
//: proposal share what nobody changes
*/
#include "work.h"

enum { STEPS = 40000, ELEMENTS = 100000, READ = 100 };

struct table {
    uint64_t elements[ELEMENTS];
};

static struct table shared;

APART void with_copies(long steps)
{
    struct table table = shared;

    for (long step = 0; step < steps; step++) {
#pragma omp parallel firstprivate(table) /* HERE hot_function */
        for (long i = 0; i < READ; i++)
            keep(table.elements[(i * 31 + step) % ELEMENTS]);
    }
}

APART void with_one(long steps)
{
    for (long step = 0; step < steps; step++) {
#pragma omp parallel
        for (long i = 0; i < READ; i++)
            keep(shared.elements[(i * 31 + step) % ELEMENTS]);
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long i = 0; i < ELEMENTS; i++)
        shared.elements[i] = (uint64_t)i;
    if (run.mended)
        with_one(steps);
    else
        with_copies(steps);
    return run_end();
}
