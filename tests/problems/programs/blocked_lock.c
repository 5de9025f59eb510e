/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads read their input one at a time, under a lock, and each waits for it for 6 ms (a sleep here): the
 * others wait for the sleeper, not for a busy lock. Mended: every fifth time.
//: share 0.85
//: proposal less often
//: scenario critical@HERE x0.2
*/
#include "work.h"

#include <unistd.h>

enum { READS = 240, INPUT_US = 6000, RARE = 5 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long reads = run_scaled(&run, READS);

#pragma omp parallel for schedule(dynamic)
    for (long read = 0; read < reads; read++) {
#pragma omp critical(input) /* HERE blocked */
        if (!run.mended || read % RARE == 0)
            usleep(INPUT_US);
        keep(work(300, read));
    }
    return run_end();
}
