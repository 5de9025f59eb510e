/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names what it does (include/omptape/omptape.h): before its first region, in steps, in threads and tasks, on
 * a thread that OpenMP does not know; with ends too many and ends too few. user slow: one step takes long,
 * and one for one of its threads.
 */
#include <omptape.h>

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 8, SLOW_STEPS = 32, RACERS = 8, INNER = 3, TASKS = 16, THREADS = 2, LONG = 2000 };

static void *compute(void *data)
{
    omptape_begin("own thread");
    omptape_end();
    return data;
}

static void step(uint64_t number)
{
    omptape_step("time step", number);
    for (uint64_t i = 0; i < INNER; i++) {
        omptape_step("sweep", i);
        omptape_begin("left open");
    }
#pragma omp parallel num_threads(THREADS)
    {
        omptape_begin("in a team");
#pragma omp for
        for (int i = 0; i < 4; i++)
            omptape_mark("point");
        omptape_end();
        omptape_end(); /* the region's own thread began nothing more */
    }
}

/* In one step all threads sleep, in another one the second thread. */
static void sleep_in_a_step(void)
{
    omptape_begin("solver");
    for (uint64_t i = 0; i < SLOW_STEPS; i++) {
        omptape_step("time step", i);
#pragma omp parallel num_threads(THREADS)
        usleep(i == 5 ? 400000 : i == 11 && omp_get_thread_num() == 1 ? 250000 : 1000);
    }
    omptape_end();
    omptape_end();
}

/* All threads begin the session at one time, and none of their names is lost. */
static pthread_barrier_t gate;

static void *begin_at_once(void *data)
{
    pthread_barrier_wait(&gate);
    omptape_begin("at once");
    omptape_end();
    return data;
}

static void race(void)
{
    pthread_t threads[RACERS];
    pthread_barrier_init(&gate, NULL, RACERS + 1);
    for (int i = 0; i < RACERS; i++)
        pthread_create(&threads[i], NULL, begin_at_once, NULL);
    pthread_barrier_wait(&gate);
#pragma omp parallel num_threads(THREADS)
    omptape_value("residual", 0.25);
    for (int i = 0; i < RACERS; i++)
        pthread_join(threads[i], NULL);
}

/* A curve on two threads, and numbers that are none. */
static void values(void)
{
    for (int i = 0; i < SLOW_STEPS; i++) {
        omptape_step("time step", (uint64_t)i);
        omptape_value("residual", 1.0 / (double)(1 << i % 31));
    }
    omptape_end();
#pragma omp parallel num_threads(THREADS)
    omptape_value("offset", omp_get_thread_num() == 0 ? -2.5 : 4e-12);
    omptape_value("residual", (double)INFINITY);
    omptape_value("left out", (double)NAN);
}

int main(int argc, char **argv)
{
    char name[LONG];
    pthread_t thread;

    if (argc > 1 && strcmp(argv[1], "slow") == 0) {
        sleep_in_a_step();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "values") == 0) {
        values();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "race") == 0) {
        race();
        return 0;
    }
    omptape_begin("before");
    omptape_end();
    omptape_end();
    omptape_begin("all"); /* from before the first region to behind the last one */
    for (uint64_t i = 0; i < STEPS; i++)
        step(i);
    omptape_end(); /* what is left open in the last sweep, */
    omptape_end(); /* the sweep, */
    omptape_end(); /* and the last step */
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    omptape_begin(name);
    strcpy(name, "used again");
    omptape_begin(name);
    omptape_end();
    omptape_end();
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        {
            omptape_begin("in a task");
#pragma omp taskyield
            omptape_end();
        }
    }
    omptape_end();
    if (pthread_create(&thread, NULL, compute, NULL) == 0)
        pthread_join(thread, NULL);
    printf("%d %s\n", omptape_is_recording(), omptape_version());
    omptape_begin("never ends");
    return 0;
}
