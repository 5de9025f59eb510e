/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For top.py: does what each line on stdin asks for, and says "done". "healthy 50": 50 steps in which all
 * threads work. "lock 50": both threads sleep in a critical section, 50 times each, while the other one waits
 * for it. "serial 50": 50 sleeps
 * outside of parallel regions. "helper 1": begins a thread that OpenMP does not know, which sleeps. "busy 1":
 * it computes from now on. "rest 1": it sleeps again. "join 1": it ends. The end of stdin ends the program.
 * With an argument it uses OpenMP only when asked.
 */
#define _GNU_SOURCE
#include "omptape.h"

#include <omp.h>
#include <pthread.h>
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

/* What the helper does; it sleeps in `asks_helper` until there is something else to do. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asks_helper = PTHREAD_COND_INITIALIZER;
static enum { REST, BUSY, JOIN } helper_does;
static pthread_t helper;

static void *help(void *unused)
{
    bool ends = false;
    (void)unused;
    (void)pthread_setname_np(pthread_self(), "helper");
    while (!ends) {
        (void)pthread_mutex_lock(&guard);
        while (helper_does == REST)
            (void)pthread_cond_wait(&asks_helper, &guard);
        ends = helper_does == JOIN;
        (void)pthread_mutex_unlock(&guard);
        work();
    }
    return NULL;
}

static void ask_helper(const char *what)
{
    (void)pthread_mutex_lock(&guard);
    helper_does = strcmp(what, "busy") == 0 ? BUSY : strcmp(what, "join") == 0 ? JOIN : REST;
    (void)pthread_cond_signal(&asks_helper);
    (void)pthread_mutex_unlock(&guard);
    if (helper_does == JOIN)
        (void)pthread_join(helper, NULL);
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
        else if (strcmp(what, "serial") == 0)
            serial(count);
        else if (strcmp(what, "helper") == 0)
            (void)pthread_create(&helper, NULL, help, NULL);
        else
            ask_helper(what);
        puts("done");
        (void)fflush(stdout);
    }
    return 0;
}
