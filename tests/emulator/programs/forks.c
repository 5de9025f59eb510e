/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forks between target constructs: the child goes away without asking anything of the devices, which are its
 * parent's, once by _exit and once by exit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int start)
{
    int cell = start;

#pragma omp target map(tofrom : cell)
    cell += 1;
    return cell;
}

static int fork_and_wait(int quickly)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        if (quickly)
            _exit(0);
        exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    int sum = 0;

    for (int round = 0; round < 10; round++)
        sum += work(round);
    sum += fork_and_wait(1);
    sum += work(100);
    sum += fork_and_wait(0);
    sum += work(200);
    printf("%d\n", sum);
    return 0;
}
