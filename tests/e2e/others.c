/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that OpenMP does not know: one named "statistics" uses more than 3 % of the time that goes by, some
 * come and go, and the main thread waits for them in a parallel region. others sleep: then prints its
 * number and waits to be killed; others stopped: it is stopped for a while. others asked: it prints its
 * number, and waits for a line before all; others outlive: the same, and a thread ends shortly after the
 * program's end; others lives: the same, and it waits for a line again while one lives that has computed and
 * one that has been in a parallel region. It joins both.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *compute(void *begin)
{
    pthread_setname_np(pthread_self(), "statistics");
    double own = 0;
    while (own < 0.4 || own < 0.03 * (seconds(CLOCK_MONOTONIC) - *(double *)begin))
        own = seconds(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/* Lets the test make the writer look at the main thread. */
static void wait_for_line(void)
{
    printf("%d\n", (int)getpid());
    fflush(stdout);
    getchar();
}

static void run_region(void)
{
#pragma omp parallel
    (void)omp_get_thread_num();
}

static atomic_bool has_computed;
static atomic_bool is_over;

/* Ends 20 ms after the main function. */
static void *outlive(void *begin)
{
    compute(begin);
    atomic_store(&has_computed, true);
    while (!atomic_load(&is_over))
        usleep(1000);
    usleep(20000);
    return NULL;
}

/* With so many regions that the writer is still busy at the end. */
static int be_outlived(double begin)
{
    pthread_t thread;
    run_region();
    wait_for_line();
    pthread_create(&thread, NULL, outlive, &begin);
    while (!atomic_load(&has_computed))
        run_region();
    atomic_store(&is_over, true);
    return 0;
}

static void *use_openmp(void *done)
{
    run_region();
    atomic_fetch_add((atomic_int *)done, 1);
    while (!atomic_load(&is_over))
        usleep(1000);
    return NULL;
}

static void *compute_and_stay(void *done)
{
    double begin = seconds(CLOCK_MONOTONIC);
    compute(&begin);
    atomic_fetch_add((atomic_int *)done, 1);
    while (!atomic_load(&is_over))
        usleep(1000);
    usleep(200000);
    return NULL;
}

static int live(void)
{
    pthread_t threads[2];
    atomic_int done = 0;
    run_region();
    wait_for_line();
    pthread_create(&threads[0], NULL, compute_and_stay, &done);
    pthread_create(&threads[1], NULL, use_openmp, &done);
    while (atomic_load(&done) < 2)
        usleep(1000);
    wait_for_line();
    atomic_store(&is_over, true);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}

/* A few milliseconds. */
static void *compute_briefly(void *unused)
{
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < 0.003)
        ;
    return unused;
}

static void *do_little(void *unused)
{
    usleep(300000);
    return unused;
}

/* Without other threads: what these do takes up the looks that the writer may have. */
static int be_stopped(void)
{
    pid_t parent = getpid();
    run_region();
    if (fork() == 0) {
        kill(parent, SIGSTOP);
        usleep(700000);
        kill(parent, SIGCONT);
        _exit(0);
    }
    wait(NULL);
    return 0;
}

int main(int argc, char **argv)
{
    double begin = seconds(CLOCK_MONOTONIC);
    pthread_t threads[4];
    omp_set_num_threads(2);
    if (argc > 1 && strcmp(argv[1], "asked") == 0)
        wait_for_line();
    if (argc > 1 && strcmp(argv[1], "outlive") == 0)
        return be_outlived(begin);
    if (argc > 1 && strcmp(argv[1], "lives") == 0)
        return live();
    if (argc > 1 && strcmp(argv[1], "stopped") == 0)
        return be_stopped();
#pragma omp parallel
    {
#pragma omp master
        {
            pthread_create(&threads[0], NULL, compute, &begin);
            for (int i = 1; i < 4; i++)
                pthread_create(&threads[i], NULL, do_little, NULL);
            for (int i = 0; i < 4; i++)
                pthread_join(threads[i], NULL);
            for (int i = 0; i < 100 && argc > 1 && strcmp(argv[1], "many") == 0; i++) {
                pthread_create(&threads[0], NULL, compute_briefly, NULL);
                pthread_join(threads[0], NULL);
            }
        }
    }
    if (argc > 1 && strcmp(argv[1], "sleep") == 0) {
        printf("%d\n", (int)getpid());
        fflush(stdout);
        pause();
    }
    return 0;
}
