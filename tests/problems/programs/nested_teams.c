/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two teams of two, in which one thread has all the work, and one team three times that of the other.
 * Mended: within the teams the work is even, so that no processor is idle.
//: environment OMP_MAX_ACTIVE_LEVELS=2 OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
//: share 0.33
//: scenario dynamic@HERE
*/
#include "work.h"

enum { BLOCKS = 40, STEPS = 40 };

APART void solve(long blocks)
{
#pragma omp parallel for num_threads(2) schedule(static) /* HERE nested_wait */
    for (long block = 0; block < 2 * BLOCKS; block++)
        keep(block < blocks ? work(1000, block) : 0);
}

APART void solve_mended(long blocks)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (long block = 0; block < BLOCKS; block++)
        keep(block < blocks ? work(1000, block) : 0);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel num_threads(2)
    for (long step = 0; step < steps; step++) {
        (run.mended ? solve_mended : solve)(omp_get_thread_num() == 0 ? BLOCKS / 4 : BLOCKS * 3 / 4);
#pragma omp barrier
    }
    return run_end();
}
