/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In each step one iteration waits for a device for 60 ms (a sleep here), as who writes and fsyncs a
 * checkpoint does; the others wait for that thread. It is not unequal work. Mended: in every fifth step.
//: share 0.55
//: proposal less often
*/
#include "work.h"

#include <unistd.h>

enum { STEPS = 20, ROWS = 40, DEVICE_US = 60000, RARE = 5 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE blocked */
        for (long row = 0; row < ROWS; row++) {
            keep(work(1000, row));
            if (row == ROWS - 1 && (!run.mended || step % RARE == 0))
                usleep(DEVICE_US);
        }
    }
    return run_end();
}
