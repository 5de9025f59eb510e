/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread computes, and the other one waits for it in a loop that asks for a flag: the runtime does not
 * know that it waits. Mended: they share the work.
//: share 0.5
//: proposal runtime
*/
#include "work.h"

enum { ITEMS = 4000, ITEM = 1000 };

static int done;

APART void wait_for_flag(void)
{
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) == 0)
        ;
}

APART void one_works(long items)
{
#pragma omp parallel num_threads(2) /* HERE spin */
    if (omp_get_thread_num() == 0) {
        for (long item = 0; item < items; item++)
            keep(work(ITEM, item));
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    } else {
        wait_for_flag();
    }
}

APART void both_work(long items)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (long item = 0; item < items; item++)
        keep(work(ITEM, item));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    if (run.mended)
        both_work(items);
    else
        one_works(items);
    return run_end();
}
