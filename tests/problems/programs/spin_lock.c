/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A spin lock of pthreads, which the runtime does not know, is held for most of the work. Mended: each thread
 * sums up what it has.
//: proposal lock that is not OpenMP's
*/
#include "work.h"

#include <pthread.h>

enum { ITEMS = 8000, ALONE = 50, HELD = 250 };

static pthread_spinlock_t lock;

APART void add(long item)
{
    uint64_t value = work(ALONE, item);

    pthread_spin_lock(&lock);
    keep(value + work(HELD, item));
    pthread_spin_unlock(&lock);
}

APART void add_apart(long item)
{
    keep(work(ALONE, item) + work(HELD, item));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel for schedule(static) /* HERE spin */
    for (long item = 0; item < items; item++)
        if (run.mended)
            add_apart(item);
        else
            add(item);
    return run_end();
}
