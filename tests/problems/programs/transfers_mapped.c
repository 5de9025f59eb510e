/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two small fields are mapped at every one of many small kernels. Mended: they stay on the device.
//: only offload
*/
#include "work.h"

enum { CELLS = 1000, STEPS = 250000 };

static double now[CELLS];
static double source[CELLS];

static void step_on(void)
{
#pragma omp target map(tofrom : now) map(to : source) /* HERE repeated_transfers small_transfers */
    for (int i = 0; i < CELLS; i++)
        now[i] = 0.5 * now[i] + source[i];
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);

    for (int i = 0; i < CELLS; i++)
        source[i] = i % 17;
    if (run.mended) {
#pragma omp target data map(tofrom : now) map(to : source)
        for (long step = 0; step < steps; step++)
            step_on();
    } else {
        for (long step = 0; step < steps; step++)
            step_on();
    }
    keep((uint64_t)now[1]);
    return run_end();
}
