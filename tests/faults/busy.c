/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of the fault tests: regions, loops, tasks, critical sections, locks and nested teams until
 * SECONDS are over or SIGUSR1 comes, with pauses so that archives stay small unless told otherwise. Usage:
 * busy SECONDS [PAUSE_IN_MICROSECONDS [DIARY]]. The diary gets a line for each step that is over: its number,
 * and ns since 1970.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static omp_lock_t lock;
static long total;
static long expected;
static volatile sig_atomic_t is_over;

static void end_soon(int number)
{
    (void)number;
    is_over = 1;
}

static void tasks(int depth)
{
    if (depth == 0)
        return;
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(depth)
        tasks(depth - 1);
    }
#pragma omp taskwait
}

static void step(void)
{
#pragma omp parallel num_threads(2)
    {
        /* Not the other dynamic schedule, in which LLVM 19 now and then fails an assertion of its own
         * (kmp_dispatch.cpp:1618). */
#pragma omp for schedule(monotonic : dynamic, 2)
        for (int i = 0; i < 8; i++) {
#pragma omp critical
            total++;
        }
#pragma omp single
        {
            expected += 8 + omp_get_num_threads();
            tasks(3);
        }
        omp_set_lock(&lock);
        total++;
        omp_unset_lock(&lock);
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
        }
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    long pause = argc > 2 ? atol(argv[2]) : 2000;
    const struct timespec nap = {0, pause * 1000};
    double end = omp_get_wtime() + seconds;
    long steps = 0;
    FILE *diary = argc > 3 ? fopen(argv[3], "w") : NULL;
    struct timespec now;

    signal(SIGUSR1, end_soon);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    while (!is_over && omp_get_wtime() < end) {
        step();
        steps++;
        if (diary != NULL) {
            clock_gettime(CLOCK_REALTIME, &now);
            fprintf(diary, "%ld %lld%09ld\n", steps, (long long)now.tv_sec, now.tv_nsec);
            fflush(diary);
        }
        if (pause > 0)
            nanosleep(&nap, NULL);
    }
    omp_destroy_lock(&lock);
    printf("%s\n", total == expected ? "right" : "wrong");
    return 17;
}
