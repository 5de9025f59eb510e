/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that never changes is mapped at every kernel. Mended: it stays there.
//: only offload
*/
#include "work.h"

enum { ENTRIES = 1000000, STEPS = 8000 };

static int table[ENTRIES];

static long look_up(long step)
{
    long found = 0;

#pragma omp target map(to : table) map(tofrom : found) /* HERE repeated_transfers */
    for (long i = step; i < ENTRIES; i += 1000)
        found += table[i];
    return found;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (int i = 0; i < ENTRIES; i++)
        table[i] = i % 17;
    if (run.mended) {
#pragma omp target data map(to : table)
        for (long step = 0; step < steps; step++)
            keep((uint64_t)look_up(step % 1000));
    } else {
        for (long step = 0; step < steps; step++)
            keep((uint64_t)look_up(step % 1000));
    }
    return run_end();
}
