/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In each step the first thread waits for a device that takes 4 ms (a sleep here), as who writes and fsyncs a
 * checkpoint does; the others wait for that thread. It is not unequal work. Mended: in every tenth step.
//: share 0.6
//: proposal less often
*/
#include "work.h"

#include <unistd.h>

enum { STEPS = 200, DEVICE_US = 4000, RARE = 10 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

#pragma omp parallel
    for (long step = 0; step < steps; step++) {
        keep(work(2000, step));
        if (omp_get_thread_num() == 0 && (!run.mended || step % RARE == 0))
            usleep(DEVICE_US);
#pragma omp barrier /* HERE blocked */
    }
    return run_end();
}
