/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for the tests of jobs: a parallel region every 10 ms for a number of seconds (the argument), so
 * that it can be cancelled at any moment and its archive stays small. Says "ticking" once it is in full
 * swing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    long ticks = argc > 1 ? (long)(strtod(argv[1], NULL) * 100) : 1;
    long count = 0;

    for (long i = 0; i < ticks; i++) {
#pragma omp parallel reduction(+ : count)
        count += 1;
        if (i == 10) {
            puts("ticking");
            fflush(stdout);
        }
        nanosleep(&pause, NULL);
    }
    return count > 0 ? 0 : 1;
}
