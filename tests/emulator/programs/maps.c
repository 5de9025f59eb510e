/* SPDX-License-Identifier: BSD-3-Clause
 *
 * target with maps to and from, with pauses so that clocks have time to drift. Arguments: how often (60), the
 * pause in ms (5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 60;
    int pause_ms = argc > 2 ? atoi(argv[2]) : 5;
    struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000L};
    int cells[256];
    int out[256];
    long sum = 0;

    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 256; i++)
            cells[i] = i + round;
#pragma omp target map(to : cells) map(from : out)
        for (int i = 0; i < 256; i++)
            out[i] = 2 * cells[i];
        sum += out[round % 256];
        nanosleep(&pause, NULL); /* rounds are apart, as the arguments say */
    }
    printf("%ld\n", sum);
    return 0;
}
