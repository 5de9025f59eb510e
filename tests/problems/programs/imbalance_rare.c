/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equal iterations. In each eighth step the first thread does something else beside its own, as a collector of
 * garbage does: no schedule evens that out. Mended: both threads do half of it.
//: share 0.2
//: proposal what these instances do
*/
#include "work.h"

enum { ITEMS = 40, STEPS = 400, EACH = 8, PAUSE = 5000 };

static void pause_now(long step, long share)
{
    if (step % EACH == 0)
        keep(work(share, step));
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
#pragma omp parallel
        {
#pragma omp for schedule(static) /* HERE imbalance */
            for (long item = 0; item < ITEMS; item++) {
                keep(work(50, item));
                if (run.mended && item % (ITEMS / 2) == 0)
                    pause_now(step, PAUSE / 2);
                else if (!run.mended && item == 0) {
                    pause_now(step, PAUSE / 2);
                    pause_now(step, PAUSE / 2);
                }
            }
        } /* HERE[gcc] imbalance */
    }
    return run_end();
}
