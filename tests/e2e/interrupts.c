/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two OpenMP threads take and release locks while timers send them signals whose handler causes OpenMP events. Prints how
 * many records all that makes: one for each callback.
 *
 *     interrupts MODE CALLS
 *
 * Each thread goes on until its handlers were called CALLS times.
 *
 * MODE flush, lock, control, error: what the handler does; burst: thousands of
 * flushes in one call; stack: on a stack of its own; jump: the handler leaves by siglongjmp now and then. Those of flush, control, burst and
 * stack may interrupt each other.
 */
#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, BURST = 10000, RECORDS_A_LOCK = 3 };
enum { STACK_BYTES = 262144 };
#define TEXT_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TEXT_256 TEXT_64 TEXT_64 TEXT_64 TEXT_64
#define LONG_TEXT TEXT_256 TEXT_256 TEXT_256

static const char *mode;
static atomic_ulong by_handlers; /* records */
static atomic_ulong by_threads;
static atomic_ulong unsure; /* records of callbacks that a jump may have prevented */
static omp_lock_t locks[THREADS][2];
static _Thread_local int self;
static _Thread_local sigjmp_buf back;
static _Thread_local volatile sig_atomic_t may_jump;
static _Thread_local volatile sig_atomic_t calls;

static void flush_some(unsigned long n)
{
    for (unsigned long i = 1; i < n; i += 2) { /* in turn: they are no row */
#pragma omp flush
#pragma omp flush
    }
    if (n % 2 == 1) {
#pragma omp flush
    }
    atomic_fetch_add(&by_handlers, n);
}

static void on_signal(int number)
{
    int saved = errno;
    (void)number;
    calls++;
    if (strcmp(mode, "lock") == 0) {
        omp_set_lock(&locks[self][1]);
        omp_unset_lock(&locks[self][1]);
        atomic_fetch_add(&by_handlers, RECORDS_A_LOCK);
    } else if (strcmp(mode, "control") == 0) {
        omp_control_tool(100, 1, NULL);
        atomic_fetch_add(&by_handlers, 1);
    } else if (strcmp(mode, "error") == 0) {
#pragma omp error at(execution) severity(warning) message(LONG_TEXT)
        atomic_fetch_add(&by_handlers, 1);
    } else {
        flush_some(strcmp(mode, "burst") == 0 && calls % 64 == 0 ? BURST : (unsigned long)(calls % 5));
    }
    errno = saved;
    if (strcmp(mode, "jump") == 0 && may_jump && calls % 8 == 0) {
        may_jump = 0;
        siglongjmp(back, 1);
    }
}

static void handle(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | (strcmp(mode, "stack") == 0 ? SA_ONSTACK : 0);
    sigemptyset(&action.sa_mask);
    /* A jump leaves one handler only; a lock is held, and the runtime prints under one. */
    if (strcmp(mode, "jump") == 0 || strcmp(mode, "lock") == 0 || strcmp(mode, "error") == 0)
        sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Timers of this thread's own: their signals come wherever it is, as often as it runs. */
static void start_timers(timer_t timers[2])
{
    static const int signals[2] = {SIGUSR1, SIGUSR2};
    for (int i = 0; i < 2; i++) {
        struct itimerspec often = {{0, 41000 + 6000 * i}, {0, 41000}};
        struct sigevent event;
        memset(&event, 0, sizeof(event));
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = signals[i];
        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) != 0 ||
            timer_settime(timers[i], 0, &often, NULL) != 0)
            abort();
    }
}

static void use_stack(void)
{
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    if (strcmp(mode, "stack") == 0)
        sigaltstack(&stack, NULL);
}

/* A handler that jumps cuts a round short: what it has recorded by then, nobody knows. */
static void one_round(void)
{
    if (strcmp(mode, "jump") == 0 && sigsetjmp(back, 1) != 0) {
        atomic_fetch_add(&unsure, RECORDS_A_LOCK);
        /* The lock may or may not be held. */
        omp_init_lock(&locks[self][0]);
        atomic_fetch_add(&by_threads, 1);
        return;
    }
    may_jump = 1;
    omp_set_lock(&locks[self][0]);
    omp_unset_lock(&locks[self][0]);
    may_jump = 0;
    atomic_fetch_add(&by_threads, RECORDS_A_LOCK);
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "flush";
    long wanted = argc > 2 ? atol(argv[2]) : 1000;
    handle(SIGUSR1);
    handle(SIGUSR2);
    for (int i = 0; i < THREADS; i++) {
        omp_init_lock(&locks[i][0]);
        omp_init_lock(&locks[i][1]);
    }
#pragma omp parallel num_threads(THREADS)
    {
        timer_t timers[2];
        self = omp_get_thread_num();
        use_stack();
        if (wanted > 0)
            start_timers(timers);
        while (calls < wanted)
            one_round();
        for (int i = 0; i < 2 && wanted > 0; i++)
            timer_delete(timers[i]);
    }
    printf("%lu %lu %lu\n", (unsigned long)by_threads, (unsigned long)by_handlers, (unsigned long)unsure);
    return 3;
}
