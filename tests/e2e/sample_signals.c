/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that signals hurt easily, for --sample=signal: reads that nobody begins again, errno that must
 * stay, jumps out of signal handlers, an alternate stack, a thread that blocks all signals, a child that must
 * have no timer, and a handler for SIGURG that comes late. Each thread computes meanwhile. Says "ok", or what
 * went wrong.
 */
#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, STACK_BYTES = 65536, JUMPS = 40, MESSAGES = 40 };

static volatile double sink;
static _Thread_local sigjmp_buf place;
static volatile sig_atomic_t late_signals;
static const char *_Atomic failure;

static void fail(const char *what)
{
    failure = what;
}

/* For so much processor time of the thread. */
__attribute__((noinline)) static void compute(long us)
{
    struct timespec begin;
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        double value = 1;
        for (int i = 0; i < 20000; i++)
            value = value * 1.0000001 + 1e-9;
        sink = value;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static void jump(int number)
{
    (void)number;
    compute(5000);
    siglongjmp(place, 1);
}

static void count(int number)
{
    (void)number;
    late_signals++;
}

/* Timers of the process, as the kernel lists them; 0: it does not. */
static int count_timers(void)
{
    char line[128];
    int count = 0;
    FILE *file = fopen("/proc/self/timers", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        count += strncmp(line, "ID:", 3) == 0;
    if (file != NULL)
        fclose(file);
    return count;
}

/* Thread 0 writes to thread 1, which takes each message by one read(). */
static void talk(int thread, const int ends[2])
{
    for (int i = 0; i < MESSAGES; i++) {
        compute(3000);
        if (thread == 0 && write(ends[1], &i, sizeof(i)) != sizeof(i))
            fail("write");
        int got = 0;
        if (thread == 1 && (read(ends[0], &got, sizeof(got)) != sizeof(got) || got != i))
            fail("read");
    }
}

/* Leaves handlers on an alternate stack by siglongjmp. */
static void leave_handlers(void)
{
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    sigaltstack(&stack, NULL);
    for (volatile int i = 0; i < JUMPS; i++)
        if (sigsetjmp(place, 1) == 0)
            raise(SIGUSR1);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
}

static void block_all(void)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    errno = 42;
    compute(100000);
    if (errno != 42)
        fail("errno");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = 42;
    compute(100000);
    if (errno != 42)
        fail("errno");
}

static void fork_one(void)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        compute(50000);
        _exit(count_timers() == 0 ? 7 : 8);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        fail("fork");
}

int main(int argc, char **argv)
{
    int ends[2];
    const struct sigaction leave = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    const struct sigaction late = {.sa_handler = count, .sa_flags = SA_RESTART};
    (void)argv;
    if (argc > 1)
        sigaction(SIGURG, &late, NULL);
    if (pipe(ends) != 0 || sigaction(SIGUSR1, &leave, NULL) != 0)
        return 1;
#pragma omp parallel num_threads(THREADS)
    {
        const int thread = omp_get_thread_num();
        if (thread < 2)
            talk(thread, ends);
        else if (thread == 2)
            leave_handlers();
        else
            block_all();
    }
    fork_one();
    const int timers = count_timers();
    sigaction(SIGURG, &late, NULL);
#pragma omp parallel num_threads(THREADS)
    compute(100000);
    if (late_signals > THREADS)
        fail("more than one late signal on a thread");
    printf("%s, %d timers\n", failure != NULL ? failure : "ok", timers);
    return failure != NULL;
}
