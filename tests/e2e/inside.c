/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of a region: two functions call it, and one has 80 % of its work; a thread sleeps in another one,
 * while the other thread waits in a loop. The argument: how many times as long as usual.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 30, CALLS = 200, SLEEPS = 60 };

static volatile double sink;
static int done;

__attribute__((noinline)) static void heavy(long turns)
{
    double value = 1;
    for (long i = 0; i < turns; i++) {
        value = value * 1.0000001 + 1e-9;
        __asm__ volatile("" : "+m"(value));
    }
    sink = value;
}

__attribute__((noinline)) static void apply(long turns)
{
#pragma omp parallel for num_threads(2) /* HERE */
    for (int i = 0; i < CALLS; i++)
        heavy(turns);
}

__attribute__((noinline)) static void coarse(void)
{
    apply(16000);
    __asm__ volatile("");
}

__attribute__((noinline)) static void fine(void)
{
    apply(4000);
    __asm__ volatile("");
}

__attribute__((noinline)) static void nap(int sleeps)
{
    const struct timespec time = {.tv_nsec = 10000000};
    for (int i = 0; i < sleeps; i++)
        (void)nanosleep(&time, NULL);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static void spin(void)
{
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) == 0)
        ;
}

int main(int argc, char **argv)
{
    const int times = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < ROUNDS * times; i++) {
        coarse();
        fine();
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        nap(SLEEPS * times);
#pragma omp section
        spin();
    }
    return 0;
}
