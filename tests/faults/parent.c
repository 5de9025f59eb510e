/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that waits for all its children, as the first process of a container does. Usage: parent
 * [subreaper]. Says how many there were, and how often SIGCHLD came.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    int children = 0;
    int status = 0;
    int sum = 0;

    (void)argv;
    if (argc > 1) {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
    sigaction(SIGCHLD, &action, NULL);
    for (int round = 0; round < 100; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
    }
    if (fork() == 0) {
        _exit(5);
    }
    while (wait(&status) > 0) {
        children++;
    }
    printf("%d, first %d, children %d, signals %d, status %d\n", sum, getpid() == 1, children, (int)signals,
           WEXITSTATUS(status));
    return 17;
}
