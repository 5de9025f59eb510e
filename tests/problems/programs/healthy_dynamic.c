/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Healthy: unequal iterations under a dynamic schedule.
 */
#include "work.h"

enum { ITEMS = 20000, UNITS = 1000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

#pragma omp parallel for schedule(dynamic, 8)
    for (long item = 0; item < items; item++)
        keep(work(20 + item * 7919 % 180, item));
    return run_end();
}
