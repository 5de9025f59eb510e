/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of two threads works and sleeps in turn, and says when it slept: seconds of CLOCK_REALTIME. With an
 * argument the two wait for each other so often that no ring has room for all switches.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPS = 12, SLEEP_NS = 10000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { TURNS = 40000 };

static int take_turns(void)
{
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    int failed = 0;
#pragma omp parallel num_threads(2) reduction(+ : failed)
    for (int i = 0; i < TURNS; i++) {
        char byte = 0;
        if (omp_get_thread_num() == 0)
            failed += write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1;
        else
            failed += read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1;
    }
    return failed != 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return take_turns();
    static double slept[2][SLEEPS][2];
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
#pragma omp parallel num_threads(2)
    {
        const double start = now();
        while (now() - start < 0.2)
            ;
    }
#pragma omp parallel num_threads(2)
    for (int i = 0; i < SLEEPS; i++) {
        double(*mine)[2] = slept[omp_get_thread_num()];
        const double begin = now();
        while (now() - begin < 0.01)
            ;
        mine[i][0] = now();
        nanosleep(&pause, NULL);
        mine[i][1] = now();
    }
    for (int thread = 0; thread < 2; thread++)
        for (int i = 0; i < SLEEPS; i++)
            printf("%d %.9f %.9f\n", thread, slept[thread][i][0], slept[thread][i][1]);
    return 0;
}
