/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each iteration adds to one sum, atomically. Mended: each thread has a sum of its own, and adds that at the end.
//: proposal reduction
*/
#include "work.h"

enum { ITEMS = 200000000 };

static uint64_t value_of(long item)
{
    return (uint64_t)item * 2654435761U >> 7;
}

APART uint64_t add_each(long items)
{
    uint64_t sum = 0;

#pragma omp parallel for num_threads(2) schedule(static) /* HERE atomic */
    for (long item = 0; item < items; item++) {          /* HERE atomic: on aarch64 clang names the loop itself */
        uint64_t value = value_of(item);
#pragma omp atomic
        sum += value;
    }
    return sum;
}

APART uint64_t add_at_end(long items)
{
    uint64_t sum = 0;

#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : sum)
    for (long item = 0; item < items; item++)
        sum += value_of(item);
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    keep(run.mended ? add_at_end(items) : add_each(items));
    return run_end();
}
