/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of locks in a row, which fail but for the last one. Usage: lock_polls few|dense|work|turns. Prints
 * how many there were in all. A thread tests a lock that it holds itself: only then it is known how often it
 * fails.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 4000, MORE = 8000, MANY = 60000, STEPS = 20000 };

/* Some microseconds. */
static void work(void)
{
    unsigned x = 1;
    for (int i = 0; i < STEPS; i++)
        x = x * 1664525U + 1013904223U;
    __asm__ volatile("" : : "r"(x));
}

/* Returns the number of tests, with the last one. */
static long poll(long count, int works, omp_lock_t *lock, omp_lock_t *other)
{
    long times = 0;
    omp_set_lock(lock);
    if (other != lock)
        omp_set_lock(other);
    for (long i = 0; i < count; i++) {
        times += !omp_test_lock(i % 2 == 0 ? lock : other);
        if (i == count - 2)
            omp_unset_lock(i % 2 == 0 ? other : lock);
        if (works)
            work();
    }
    return times + 1;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    omp_lock_t locks[2];
    long times = 0;

    omp_init_lock(&locks[0]);
    omp_init_lock(&locks[1]);
#pragma omp parallel num_threads(1)
    times = poll(strcmp(way, "few") == 0     ? FEW
                 : strcmp(way, "dense") == 0 ? MANY
                                             : MORE,
                 strcmp(way, "work") == 0, &locks[0], &locks[strcmp(way, "turns") == 0]);
    printf("%ld\n", times);
    return 0;
}
