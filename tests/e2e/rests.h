/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs of which the tests know how long each thread sleeps (-include): says "disturbed" on its output
 * if a sleep took much longer, since nobody gave the thread a processor.
 */
#pragma once

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { REST_MAX_LATE_US = 5000 };

static inline long rest_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline void rest(long us)
{
    static atomic_bool is_disturbed;
    const long begin = rest_now_us();
    (void)usleep((useconds_t)us);
    if (rest_now_us() - begin > us + REST_MAX_LATE_US && !atomic_exchange(&is_disturbed, 1)) {
        puts("disturbed");
        (void)fflush(stdout);
    }
}
#define usleep rest
