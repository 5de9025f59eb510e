/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded, it takes the place of a host whose wall clock is wrong: WALLCLOCK_AHEAD is by how many seconds.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const char *ahead = getenv("WALLCLOCK_AHEAD");
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME && ahead != NULL)
        time->tv_sec += atol(ahead);
    return result;
}
