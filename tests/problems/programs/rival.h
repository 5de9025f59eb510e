/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs with a rival share: thread n of the team on the n-th processor that the process has, and
 * whatever wants that of the last thread; as a thread of the program that is no OpenMP one (of a service,
 * say), too. After work.h.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
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

/* A thread that wants the second processor until it is ended. */
struct rival {
    cpu_set_t all;
    pthread_t thread;
    int ended;
};

static inline void *rival_serve(void *data)
{
    struct rival *rival = data;

    rival_stay(&rival->all, 1);
    for (long seed = 0; __atomic_load_n(&rival->ended, __ATOMIC_RELAXED) == 0; seed++)
        work(100, seed);
    return NULL;
}

static inline void rival_begin(struct rival *rival)
{
    if (pthread_create(&rival->thread, NULL, rival_serve, rival) != 0) {
        perror("pthread_create");
        exit(1);
    }
}

static inline void rival_end(struct rival *rival)
{
    __atomic_store_n(&rival->ended, 1, __ATOMIC_RELAXED);
    pthread_join(rival->thread, NULL);
}
