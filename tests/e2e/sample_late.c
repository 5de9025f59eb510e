/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads begin one after the other, after the program's first second: the writer then looks for new threads
 * ten times a second only. Each thread uses OpenMP, computes for 60 ms of processor time in brief(), and
 * waits for the end.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 10, BRIEF_MS = 60 };

static pthread_barrier_t end;
static volatile double sink;

static double milliseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

__attribute__((noinline)) static void brief(void)
{
    while (milliseconds(CLOCK_THREAD_CPUTIME_ID) < BRIEF_MS)
        for (int i = 0; i < 10000; i++)
            sink = sink * 0.5 + i;
}

static void *run(void *done)
{
#pragma omp parallel num_threads(1)
    brief();
    *(volatile int *)done = 1;
    pthread_barrier_wait(&end);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int done[THREADS] = {0};
    pthread_barrier_init(&end, NULL, THREADS + 1);
#pragma omp parallel num_threads(1)
    sink = 1;
    usleep(1000000);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, &done[i]);
        while (*(volatile int *)&done[i] == 0)
            usleep(1000);
    }
    pthread_barrier_wait(&end);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
