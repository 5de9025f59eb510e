/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each item asks OpenMP for the time before and behind its work. Mended: the time is taken around all items.
//: proposal less often
*/
#include "work.h"

enum { ITEMS = 50000000 };

static double spent[2][16];

APART void time_each(long items)
{
#pragma omp parallel for num_threads(2) schedule(static) /* HERE hot_function */
    for (long item = 0; item < items; item++) {
        double begin = omp_get_wtime();

        __asm__ volatile("" : : "r"(item));
        spent[omp_get_thread_num()][0] += omp_get_wtime() - begin;
    }
}

APART void time_all(long items)
{
#pragma omp parallel num_threads(2)
    {
        double begin = omp_get_wtime();

#pragma omp for schedule(static)
        for (long item = 0; item < items; item++)
            __asm__ volatile("" : : "r"(item));
        spent[omp_get_thread_num()][0] += omp_get_wtime() - begin;
    }
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);

    (run.mended ? time_all : time_each)(run_scaled(&run, ITEMS));
    keep(spent[0][0] >= 0 && spent[1][0] >= 0);
    return run_end();
}
