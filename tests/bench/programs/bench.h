/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the benchmark programs share: the time, the floor tool's counts, and work of a fixed number of steps
 * whose result is known beforehand, so that nothing can be optimised away. Any thread.
 */
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_MAX_SAMPLES = 10000 };

/* CLOCK_MONOTONIC, which run.py reads too. */
static inline uint64_t bench_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* OMPT events so far, of all threads and of the calling one; 0 where the floor tool is not loaded. */
static inline void bench_count(uint64_t *all, uint64_t *own)
{
    void (*count)(uint64_t *, uint64_t *);
    *(void **)&count = dlsym(RTLD_DEFAULT, "omptape_floor_count");
    *all = 0;
    *own = 0;
    if (count != NULL)
        count(all, own);
}

/* A chain of dependent steps, each a multiplication and an addition: about a nanosecond. */
static inline uint64_t bench_work(uint64_t seed, unsigned steps)
{
    uint64_t x = seed;
    for (unsigned i = 0; i < steps; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

/* The sum of bench_work(seed, steps) over `count` seeds whose sum is `seed_sum`: the chain is one
 * multiplication and one addition in all. */
static inline uint64_t bench_expected(uint64_t seed_sum, uint64_t count, unsigned steps)
{
    uint64_t shift = bench_work(0, steps);
    uint64_t factor = bench_work(1, steps) - shift;
    return factor * seed_sum + shift * count;
}

/* The last words of a kernel: its own time, the moment at which its work was over, and whether the result is
 * right. Returns the exit status. */
static inline int bench_finish(uint64_t begin, int right)
{
    uint64_t end = bench_ns();
    printf("kernel_ns %llu\nend_ns %llu\nresult %s\n", (unsigned long long)(end - begin),
           (unsigned long long)end, right ? "right" : "wrong");
    return right ? 0 : 1;
}

static inline int bench_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Takes `samples` samples of `reps` repetitions. Prints a line: the name, ns of one repetition in the best
 * and in the median sample, and its events of all threads and of the calling one. */
static inline void bench_measure(const char *name, void (*run)(long reps), long reps, int samples)
{
    static uint64_t times[BENCH_MAX_SAMPLES];
    uint64_t all[2];
    uint64_t own[2];
    bench_count(&all[0], &own[0]);
    for (int i = 0; i < samples; i++) {
        uint64_t begin = bench_ns();
        run(reps);
        times[i] = bench_ns() - begin;
    }
    bench_count(&all[1], &own[1]);
    qsort(times, (size_t)samples, sizeof(times[0]), bench_compare);
    double divisor = (double)reps;
    double total = divisor * samples;
    printf("%s\t%.3f\t%.3f\t%.3f\t%.3f\n", name, (double)times[0] / divisor,
           (double)times[samples / 2] / divisor, (double)(all[1] - all[0]) / total,
           (double)(own[1] - own[0]) / total);
}

/* Whether `name` is one of the names that the command line asks for; it is if there are none. */
static inline int bench_is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return count == 0;
}
