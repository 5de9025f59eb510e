/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that never changes is updated before each kernel. Mended: once.
//: only offload
*/
#include "work.h"

enum { ENTRIES = 1000000, STEPS = 10000 };

static int table[ENTRIES];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long found = 0;

    for (int i = 0; i < ENTRIES; i++)
        table[i] = i % 17;
#pragma omp target enter data map(to : table)
    for (long step = 0; step < steps; step++) {
        if (!run.mended) {
#pragma omp target update to(table) /* HERE repeated_transfers */
        }
#pragma omp target map(tofrom : found)
        for (long i = step % 1000; i < ENTRIES; i += 1000)
            found += table[i];
    }
#pragma omp target exit data map(delete : table)
    keep((uint64_t)found);
    return run_end();
}
