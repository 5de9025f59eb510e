/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A field goes to the device cell by cell. Mended: at once.
//: only offload
*/
#include "work.h"

enum { CELLS = 2000, STEPS = 450 };

static int cells[CELLS];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    long sum = 0;

#pragma omp target enter data map(to : cells)
    for (long step = 0; step < steps; step++) {
        for (int i = 0; i < CELLS; i++)
            cells[i] = (int)(i + step);
        if (run.mended) {
#pragma omp target update to(cells)
        } else {
            for (int i = 0; i < CELLS; i++) {
#pragma omp target update to(cells [i:1]) /* HERE small_transfers */
            }
        }
        keep(work(500, step));
    }
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
#pragma omp target exit data map(delete : cells)
    keep((uint64_t)sum);
    return run_end();
}
