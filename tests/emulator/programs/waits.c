/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that take long, and for which the host waits. Between them it sleeps.
 */
#include <stdio.h>
#include <unistd.h>

enum { STEPS = 6, KERNEL_US = 30000, HOST_US = 10000, CELLS = 1 << 18 };
static double cells[CELLS];

int main(void)
{
    for (int step = 0; step < STEPS; step++) {
#pragma omp target map(tofrom : cells)
        {
            cells[step] += step;
            usleep(KERNEL_US);
        }
        usleep(HOST_US);
    }
    printf("%g\n", cells[STEPS - 1]);
    return 0;
}
