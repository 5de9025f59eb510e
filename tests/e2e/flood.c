/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes many more events than a small pool holds: the program of policies.py and scale.py.
 *
 *     flood SHAPE THREADS AMOUNT [PARTS]
 *
 * Floods PARTS times (once if it is not given). With PARTS it says "part" before each and waits for a line on
 * its standard input, so that the test decides what the writer does meanwhile. At its end it enters LAST
 * masked constructs a team, by which the test sees that the newest events are there.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAST = 7, START = 1, PAUSE = 2, FLUSH = 3 };

static omp_lock_t lock;
static long sum;

static void tree(long leaves)
{
    if (leaves > 1) {
#pragma omp task
        tree(leaves / 2);
#pragma omp task
        tree(leaves - leaves / 2);
#pragma omp taskwait
    }
}

static void tasks(int threads, long amount)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    tree(amount);
}

static void mix(int threads, long amount)
{
    for (long i = 0; i < amount; i++) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(guided, 2)
            for (int k = 0; k < 8; k++) {
#pragma omp critical
                sum++;
            }
#pragma omp single
            for (int k = 0; k < 4; k++) {
#pragma omp task
                sum += 0;
            }
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
#pragma omp barrier
        }
    }
}

static void criticals(int threads, long amount)
{
    (void)threads;
    for (long i = 0; i < amount; i++) {
#pragma omp critical
        sum++;
    }
}

static void untied(int threads, long amount)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (long i = 0; i < amount; i++) {
#pragma omp task untied
        {
#pragma omp task
            {
            }
#pragma omp taskyield
#pragma omp taskwait
        }
    }
}

static void nested(int threads, long amount)
{
#pragma omp parallel num_threads(2)
    for (long i = 0; i < amount; i++) {
#pragma omp parallel num_threads(threads > 1 ? threads / 2 : 1)
#pragma omp critical
        sum++;
    }
}

/* No tasks here: LLVM's runtime crashes when threads that made some come and go. */
static void *region(void *amount)
{
    for (long i = 0; i < (long)amount; i++) {
#pragma omp parallel num_threads(2)
#pragma omp critical
        sum++;
    }
    return NULL;
}

/* Threads that come and go. */
static void churn(int threads, long amount)
{
    pthread_t made[8];
    int count = threads < 8 ? threads : 8;

    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < count; k++)
            pthread_create(&made[k], NULL, region, (void *)amount);
        for (int k = 0; k < count; k++)
            pthread_join(made[k], NULL);
    }
}

/* Threads that are over before the flood begins. */
static void ended(int threads, long amount)
{
    churn(threads, 3);
    mix(threads, amount);
}

static void *once(void *unused)
{
    criticals(1, 1);
    return unused;
}

/* Threads in turn, each with one construct. */
static void turns(int threads, long amount)
{
    pthread_t made;

    (void)threads;
    for (long i = 0; i < amount; i++) {
        pthread_create(&made, NULL, once, NULL);
        pthread_join(made, NULL);
    }
}

/* What is paused begins in what a flight recorder will have forgotten, and ends in it. */
static void paused(int threads, long amount)
{
    omp_control_tool(PAUSE, 0, NULL);
    mix(threads, 50);
    omp_control_tool(START, 0, NULL);
    mix(threads, amount);
}

/* And here it ends in what is left. */
static void paused_late(int threads, long amount)
{
    omp_control_tool(PAUSE, 0, NULL);
    mix(threads, amount);
    omp_control_tool(START, 0, NULL);
    mix(threads, 10);
}

static void flushed(int threads, long amount)
{
    mix(threads, amount);
    omp_control_tool(FLUSH, 0, NULL);
    mix(threads, 10);
}

static void forked(int threads, long amount)
{
    mix(threads, amount);
    pid_t child = fork();
    if (child == 0) {
        /* No locks: LLVM's runtime does not know its parent's any more. */
        region((void *)(10 * amount));
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void newest(int threads)
{
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < LAST; i++) {
#pragma omp master
        sum++;
    }
}

static const struct {
    const char *name;
    void (*flood)(int threads, long amount);
} shapes[] = {{"tasks", tasks},         {"mix", mix},
              {"criticals", criticals}, {"untied", untied},
              {"nested", nested},       {"churn", churn},
              {"ended", ended},         {"turns", turns},
              {"paused", paused},       {"paused_late", paused_late},
              {"forked", forked},       {"flushed", flushed}};

static void flood(const char *shape, int threads, long amount)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (strcmp(shapes[i].name, shape) == 0)
            shapes[i].flood(threads, amount);
    }
}

int main(int count, char **words)
{
    int threads = count > 2 ? atoi(words[2]) : 2;
    long amount = count > 3 ? atol(words[3]) : 1;
    int parts = count > 4 ? atoi(words[4]) : 1;
    char line[16];

    if (count < 4)
        return 2;
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
    /* Before this LLVM's runtime tells the tool nothing, not even what omp_control_tool says. */
#pragma omp parallel num_threads(threads)
    {
    }
    omp_init_lock(&lock);
    for (int i = 0; i < parts; i++) {
        if (count > 4) {
            puts("part");
            fflush(stdout);
            if (fgets(line, sizeof(line), stdin) == NULL)
                return 1;
        }
        flood(words[1], threads, amount);
    }
    newest(threads);
    omp_destroy_lock(&lock);
    puts("done");
    fflush(stdout);
    return 3;
}
