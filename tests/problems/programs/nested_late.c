/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One of two threads is soon done and waits for the other one's inner team, which is out of
 * balance. Mended: that team is balanced.
//: environment OMP_MAX_ACTIVE_LEVELS=2 OMP_WAIT_POLICY=passive OMP_PROC_BIND=false
//: share 0.44
//: scenario dynamic@HERE
*/
#include "work.h"

enum { BLOCKS = 40, STEPS = 50 };

static long cost(long block)
{
    return block < BLOCKS / 2 ? 1800 : 200;
}

APART void solve(void)
{
#pragma omp parallel for num_threads(2) schedule(static) /* HERE nested_wait */
    for (long block = 0; block < BLOCKS; block++)
        keep(work(cost(block), block));
}

APART void solve_mended(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
    for (long block = 0; block < BLOCKS; block++)
        keep(work(cost(block), block));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel num_threads(2)
    for (long step = 0; step < steps; step++) {
        if (omp_get_thread_num() == 0)
            keep(work(500, step));
        else if (run.mended)
            solve_mended();
        else
            solve();
#pragma omp barrier
    }
    return run_end();
}
