/* SPDX-License-Identifier: BSD-3-Clause
 *
 * target with maps to and from, a few dozen times, with pauses so that clocks have time to drift.
 */
#include <stdio.h>
#include <time.h>

int main(void)
{
    struct timespec pause = {0, 5000000};
    int cells[256];
    int out[256];
    long sum = 0;

    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 256; i++) {
            cells[i] = i + round;
        }
#pragma omp target map(to : cells) map(from : out)
        for (int i = 0; i < 256; i++) {
            out[i] = 2 * cells[i];
        }
        sum += out[round];
        nanosleep(&pause, NULL);
    }
    printf("%ld\n", sum);
    return 0;
}
