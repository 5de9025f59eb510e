/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of two threads works and sleeps in turn, and says when it slept, seconds of CLOCK_REALTIME, and how
 * long it waited for a processor meanwhile, ns by /proc/thread-self/schedstat. The argument: the seconds
 * before that, in which the writer begins; with "turns" the two wait for each other so often that no ring is
 * large enough for all switches.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPS = 12, SLEEP_NS = 10000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work_for(double duration)
{
    const double begin = now();
    while (now() - begin < duration)
        ;
}

static unsigned long long waited_ns(void)
{
    unsigned long long waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file == NULL || fscanf(file, "%*u %llu", &waited) != 1)
        perror("/proc/thread-self/schedstat");
    if (file != NULL)
        fclose(file);
    return waited;
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
    const double begin = argc > 1 ? atof(argv[1]) : 0.6;
    if (argc > 1 && strcmp(argv[1], "turns") == 0)
        return take_turns();
    static double slept[2][SLEEPS][2];
    static unsigned long long waited[2][SLEEPS];
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
#pragma omp parallel num_threads(2)
    work_for(begin);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < SLEEPS; i++) {
        const int thread = omp_get_thread_num();
        const unsigned long long before = waited_ns();
        work_for(0.01);
        slept[thread][i][0] = now();
        nanosleep(&pause, NULL);
        slept[thread][i][1] = now();
        work_for(0.001);
        waited[thread][i] = waited_ns() - before;
    }
    for (int thread = 0; thread < 2; thread++)
        for (int i = 0; i < SLEEPS; i++)
            printf("%.9f %.9f %llu\n", slept[thread][i][0], slept[thread][i][1], waited[thread][i]);
    return 0;
}
