/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks for whatever a program could notice of the tool: children, signals, descriptors, limits, affinity,
environment
 * of its own children. Its output must be the same with and without.
//: threads 2
//: enter parallel@region 4
*/
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child_signals;

static void on_child(int number)
{
    (void)number;
    child_signals++;
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int number = 0;

    while (readdir(folder) != NULL) {
        number++;
    }
    closedir(folder);
    return number;
}

static void print_limits(void)
{
    static const int kinds[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_STACK,
                                RLIMIT_AS,     RLIMIT_DATA,  RLIMIT_NPROC};
    struct rlimit limit;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        getrlimit(kinds[i], &limit);
        printf("limit %d: %llu %llu\n", kinds[i], (unsigned long long)limit.rlim_cur,
               (unsigned long long)limit.rlim_max);
    }
}

static void print_signals(void)
{
    sigset_t mask;
    struct sigaction action;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < 32; i++) {
        if (i == SIGCHLD || sigaction(i, NULL, &action) != 0) {
            continue;
        }
        if (sigismember(&mask, i) || action.sa_handler != SIG_DFL) {
            printf("signal %d: %s\n", i, sigismember(&mask, i) ? "blocked" : "handled");
        }
    }
}

int main(void)
{
    struct sigaction action;
    const struct timespec pause = {0, 200000000};
    cpu_set_t cpus;
    int sum = 0;
    int status;
    int waited;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @region
        sum += 1;
    }
    nanosleep(&pause, NULL); /* in which a signal would come */
    printf("sum %d\n", sum);
    errno = 0;
    waited = (int)wait(&status);
    printf("wait %d %s\n", waited, errno == ECHILD ? "ECHILD" : "other");
    printf("SIGCHLD %d\n", (int)child_signals);
    printf("descriptors %d\n", count_descriptors());
    print_limits();
    print_signals();
    sched_getaffinity(0, sizeof(cpus), &cpus);
    printf("processors %d\n", CPU_COUNT(&cpus));
    printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
    printf("umask %o\n", (unsigned)umask(0));
    return 0;
}
