/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves by exit() inside a parallel region: the tool is never finalized, devices may be.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int cells[16];

#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int round = 0; round < 20; round++) {
#pragma omp target map(from : cells)
                for (int i = 0; i < 16; i++)
                    cells[i] = i + round;
            }
            printf("%d\n", cells[15]);
            fflush(stdout);
            exit(3);
        }
    }
    return 0;
}
