/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that each use so much processor time, however long that takes: turns THREADS MILLISECONDS. Prints
 * how much the first one has used by its end, as the kernel says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 50 };

static double used_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    double share = argc > 2 ? atof(argv[2]) / STEPS : 1;
    char text[128] = "";

#pragma omp parallel num_threads(threads)
    for (int i = 0; i < STEPS; i++) {
        double end = used_ms() + share;
        while (used_ms() < end) {
        }
#pragma omp barrier
    }
    FILE *file = fopen("/proc/self/schedstat", "r");
    if (file != NULL && fgets(text, sizeof(text), file) != NULL)
        fputs(text, stdout);
    if (file != NULL)
        fclose(file);
    return 0;
}
