/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nearly all of the work is done in a critical section. Mended: before it.
//: share 0.48
*/
#include "work.h"

enum { ITEMS = 60000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    if (run.mended) {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < items; item++) {
            uint64_t value = work(20, item);

#pragma omp critical(mended)
            total += value;
        }
    } else {
#pragma omp parallel for schedule(static)
        for (long item = 0; item < items; item++) {
            uint64_t value = work(1, item);
#pragma omp critical /* HERE lock */
            {
                value = work(20, item);
                total += value;
            }
        }
    }
    return run_end();
}
