/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock that one thread holds for long, at one place, while another asks for it often and for little at a
 * second one. Mended: the long work is done before the lock is taken.
//: share 0.46
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { STEPS = 700, PIECES = 20 };

static omp_lock_t lock;

static void rarely(const struct run *run, long step)
{
    if (run->mended)
        keep(work(1900, step));
    omp_set_lock(&lock); /* HERE lock */
    if (!run->mended)
        keep(work(1900, step));
    keep(work(50, step + 1));
    omp_unset_lock(&lock);
    keep(work(50, step + 2));
}

static void often(long step)
{
    for (long piece = 0; piece < PIECES; piece++) {
        omp_set_lock(&lock);
        keep(work(5, step + piece));
        omp_unset_lock(&lock);
        keep(work(95, step + piece));
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    omp_init_lock(&lock);
#pragma omp parallel
    for (long step = 0; step < steps; step++)
        if (omp_get_thread_num() == 0)
            rarely(&run, step);
        else
            often(step);
    omp_destroy_lock(&lock);
    return run_end();
}
