/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose first child stays to the end, and that makes others beside it. Usage: forks [unshare]. With
 * `unshare` its children get a pid namespace of their own. It can have no second thread then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The compiler's code asks the runtime for the thread's number where a function begins: main has no region of
 * its own. */
static __attribute__((noinline)) int meet(void)
{
    int sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
    sum++;
    return sum;
}

int main(int argc, char **argv)
{
    enum { CHILDREN = 3 };
    int status;
    (void)argv;
    if (argc > 1 && unshare(CLONE_NEWPID) != 0)
        return 77;
    int sum = meet();
    const pid_t first = fork();
    if (first == 0) {
        pause();
        _exit(0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(1);
        if (waitpid(child, &status, 0) == child && WIFEXITED(status))
            sum += WEXITSTATUS(status);
    }
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    printf("%d\n", sum);
    return 17;
}
