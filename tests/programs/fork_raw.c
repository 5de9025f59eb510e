/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Children that are forked off behind the C library's back, one of which ends by exit(). They are not traced, with a line
 * that says so, and the parent's records stay whole. (With threads of the runtime before, exit() hangs without a tool, too; LLVM 16 fails in any case.)
//: archives 1
//: only !16
//: threads 2
//: says was forked off by other means than fork(); it is not traced
//: says was forked off by other means than fork(); it is not traced
//: env KMP_LOCK_KIND=tas
//: [clang] enter parallel@before 1
//: [clang] enter parallel@after 2
//: events ThreadAcquireLock 2000
//: locks 1
//: vary all
*/
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static omp_lock_t lock;

static void use_lock(int times)
{
    for (int i = 0; i < times; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
}

static int run_child(int ends_by_exit)
{
    int status = 0;
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        use_lock(5000);
        if (ends_by_exit)
            exit(5);
        _exit(6);
    }
    use_lock(1000);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(void)
{
    int sum = 0;

    omp_init_lock(&lock);
#pragma omp parallel num_threads(1) reduction(+ : sum) // @before
    sum += 1;
    sum += 100 * run_child(0);
    sum += 10 * run_child(1);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += 1;
    printf("%d\n", sum);
    fflush(stdout);
    return 0;
}
