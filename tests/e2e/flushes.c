/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flushes in a row. Usage: flushes few|dense|work|turns|wait|killed. Prints how many there were in all.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FEW = 40000, MORE = 60000, MANY = 120000, STEPS = 4000 };

static int flag;
static long asked;

/* Some microseconds. */
static void work(void)
{
    unsigned x = 1;
    for (int i = 0; i < STEPS; i++)
        x = x * 1664525U + 1013904223U;
    __asm__ volatile("" : : "r"(x));
}

/* Before a parallel region a runtime may not have begun to tell anything. */
static void in_a_row(long count, int works)
{
#pragma omp parallel num_threads(1)
    for (long i = 0; i < count; i++) {
#pragma omp flush
        if (works)
            work();
    }
    asked += count;
}

static void in_turns(long count)
{
#pragma omp parallel num_threads(1)
    for (long i = 0; i < count / 2; i++) {
#pragma omp flush
#pragma omp flush
    }
    asked += count;
}

/* One asks until the other one has worked for a while. */
static void wait_for_the_other(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            double until = omp_get_wtime() + 0.5;
            while (omp_get_wtime() < until)
                work();
            __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
        } else {
            long times = 0;
            do {
#pragma omp flush /* @asked */
                times++;
            } while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0);
            asked += times;
        }
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "few") == 0)
        in_a_row(FEW, 0);
    else if (strcmp(way, "work") == 0)
        in_a_row(MORE, 1);
    else if (strcmp(way, "turns") == 0)
        in_turns(MORE);
    else if (strcmp(way, "wait") == 0)
        wait_for_the_other();
    else
        in_a_row(MANY, 0);
    printf("%ld\n", asked);
    fflush(stdout);
    if (strcmp(way, "killed") == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        raise(SIGKILL);
    }
    return 0;
}
