/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs with a rival share: thread n of the team on the n-th processor that the process has, and
 * whatever wants that of the last thread.
 */
#ifndef PROBLEMS_RIVAL_H
#define PROBLEMS_RIVAL_H

#include <errno.h>
#include <sched.h>

/* The n-th of `all`; the last one if there are fewer. */
static inline cpu_set_t rival_processor(const cpu_set_t *all, int n)
{
    cpu_set_t one;
    int last = -1;

    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && n >= 0; cpu++) {
        if (CPU_ISSET(cpu, all)) {
            last = cpu;
            n--;
        }
    }
    CPU_SET(last, &one);
    return one;
}

/* The calling thread stays on it from now on. */
static inline void rival_stay(const cpu_set_t *all, int n)
{
    cpu_set_t one = rival_processor(all, n);

    if (sched_setaffinity(0, sizeof(one), &one) != 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

#endif
