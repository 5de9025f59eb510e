/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For top.py: does what each line on stdin asks for, and says "done". "healthy 50": 50 steps in which all
 * threads work. "lock 50": both threads sleep in a critical section, 50 times each, while the other one waits
 * for it. "serial 50": 50 sleeps
 * outside of parallel regions. The end of stdin ends it. With an argument it uses OpenMP only when asked.
 */
#include "omptape.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2, SLEEP_US = 1000, WORK = 20000 };

static volatile double sum;

static void work(void)
{
    double x = 1;
    for (int i = 0; i < WORK; i++)
        x = x * 0.999 + 1;
    sum = x;
}

static void healthy(int count)
{
    for (int i = 0; i < count; i++) {
        omptape_step("step", (uint64_t)i);
#pragma omp parallel num_threads(THREADS) // healthy
        work();
    }
    omptape_end();
}

/* Whether each thread asks for the critical section, or is over. */
static atomic_bool asks[THREADS];

static void lock(int count)
{
#pragma omp parallel num_threads(THREADS) // lock
    {
        const int own = omp_get_thread_num();
        for (int i = 0; i < count; i++) {
            atomic_store(&asks[own], true);
#pragma omp critical // lock
            {
                atomic_store(&asks[own], false);
                while (!atomic_load(&asks[1 - own]))
                    (void)usleep(SLEEP_US / 10);
                (void)usleep(SLEEP_US);
            }
        }
        atomic_store(&asks[own], true);
    }
}

static void serial(int count)
{
    for (int i = 0; i < count; i++)
        (void)usleep(SLEEP_US);
}

int main(int argc, char **argv)
{
    char what[16];
    int count;
    (void)argv;
    if (argc == 1) {
#pragma omp parallel num_threads(THREADS) // first
        work();
    }
    puts("ready");
    (void)fflush(stdout);
    while (scanf("%15s %d", what, &count) == 2) {
        if (strcmp(what, "healthy") == 0)
            healthy(count);
        else if (strcmp(what, "lock") == 0)
            lock(count);
        else
            serial(count);
        puts("done");
        (void)fflush(stdout);
    }
    return 0;
}
