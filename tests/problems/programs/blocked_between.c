/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the regions the program waits for 60 ms, as for input: more threads would not shorten
 * that. Mended: in every fifth step.
//: share 0.55
//: scenario serial x0.2
*/
#include "work.h"

#include <unistd.h>

enum { ROWS = 40, STEPS = 20, INPUT_US = 60000, RARE = 5 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (long step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static) /* HERE blocked after before */
        for (long row = 0; row < ROWS; row++)
            keep(work(1000, row));
        if (!run.mended || step % RARE == 0)
            usleep(INPUT_US);
    }
    return run_end();
}
