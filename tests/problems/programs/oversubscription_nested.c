/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread of a loop on all processors begins a team of its own, as a library does that does not know who
 * calls it. Mended: one thread in each of these.
//: only clang                   libgomp begins new threads for each inner team, which is blocked time
//: environment OMP_MAX_ACTIVE_LEVELS=2 OMP_PROC_BIND=false
//: proposal OMP_MAX_ACTIVE_LEVELS=1
*/
#include "work.h"

enum { BLOCKS = 16000, ITEMS = 100 };

APART void solve(long block, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static) /* HERE oversubscription */
    for (long item = 0; item < ITEMS; item++)
        keep(work(1, block * ITEMS + item));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long blocks = run_scaled(&run, BLOCKS);

#pragma omp parallel for schedule(static) /* HERE oversubscription */
    for (long block = 0; block < blocks; block++)
        solve(block, run.mended ? 1 : 2);
    return run_end();
}
