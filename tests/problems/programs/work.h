/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all programs here share: PROGRAM bad|mended [SCALE]. Work is a fixed number of dependent steps of
 * integers, which no compiler can leave out; a unit takes about a microsecond. Both forms do the same work
 * and print the same sum, so that the time that lies between them is the problem's alone. Scale 1 is one to
 * two seconds of the bad form.
 */
#pragma once

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function for each form: of both in one, compilers make common calls, which have no line. */
#define APART __attribute__((noinline)) static

/* Of a unit. Another number imitates a processor of another speed, on which findings must not depend. */
#ifndef WORK_STEPS
#define WORK_STEPS 560
#endif

struct run {
    bool mended;
    double scale;
};

static uint64_t total;

static inline struct run run_begin(int argc, char **argv)
{
    struct run run = {argc > 1 && strcmp(argv[1], "mended") == 0, argc > 2 ? atof(argv[2]) : 1.0};

    if (argc < 2 || (!run.mended && strcmp(argv[1], "bad") != 0) || run.scale <= 0) {
        fprintf(stderr, "usage: %s bad|mended [SCALE]\n", argv[0]);
        exit(2);
    }
    return run;
}

/* So many of the steps that take the program its whole time. */
static inline long run_scaled(const struct run *run, long number)
{
    long scaled = (long)((double)number * run->scale);

    return scaled > 0 ? scaled : 1;
}

/* So many tenths of a microsecond, and a number that only the work yields. */
__attribute__((noinline)) static uint64_t work_tenths(long tenths, long seed)
{
    uint64_t x = (uint64_t)seed * 2654435761U + 88172645463325252U;

    for (long i = 0; i < tenths * (WORK_STEPS / 10); i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    __asm__ volatile("" : : "r"(x)); /* so it must be computed, even if nobody looks at it */
    return x;
}

/* In microseconds. The seed, not the thread, says what comes out. */
static inline uint64_t work(long units, long seed)
{
    return work_tenths(units * 10, seed);
}

/* Adds to the sum. No construct, so that no tool sees it. */
static inline void keep(uint64_t value)
{
    __atomic_fetch_add(&total, value, __ATOMIC_RELAXED);
}

static inline int run_end(void)
{
    printf("%016llx\n", (unsigned long long)total);
    return 0;
}
