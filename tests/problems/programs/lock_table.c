/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One lock for a table. Mended: one for each thread's part.
//: share 0.4
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { ITEMS = 50000, PARTS = 2 };

static omp_lock_t locks[PARTS];
static uint64_t table[PARTS][8];

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    for (int part = 0; part < PARTS; part++)
        omp_init_lock(&locks[part]);
#pragma omp parallel
    {
        int part = run.mended ? omp_get_thread_num() % PARTS : 0;

#pragma omp for schedule(static)
        for (long item = 0; item < items; item++) {
            uint64_t value = work(5, item);

            omp_set_lock(&locks[part]); /* HERE lock */
            table[part][0] += value + work(25, item);
            omp_unset_lock(&locks[part]);
        }
    }
    for (int part = 0; part < PARTS; part++) {
        keep(table[part][0]);
        omp_destroy_lock(&locks[part]);
    }
    return run_end();
}
