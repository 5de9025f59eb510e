/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop whose ordered part is nine tenths of it. Mended: a tenth.
//: share 0.44
//: scenario zero-wait@HERE
*/
#include "work.h"

enum { ITEMS = 7000 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);
    long inside = run.mended ? 20 : 180;

#pragma omp parallel for ordered schedule(dynamic)
    for (long item = 0; item < items; item++) {
        keep(work(200 - inside, item));
#pragma omp ordered /* HERE lock */
        keep(work(inside, item));
    }
    return run_end();
}
