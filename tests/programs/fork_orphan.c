/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The child outlives its parent, and uses OpenMP when the parent is gone.
//: only !gcc
//: archives 2
//: [main] enter parallel@parent 2
//: [child] enter parallel@child 2
*/
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    const struct timespec pause = {0, 1000000};
    pid_t parent = getpid();
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @parent
    sum += 1;
    if (fork() == 0) {
        close(0);
        close(1);
        close(2);
        while (getppid() == parent)
            nanosleep(&pause, NULL);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @child
        sum += 1;
        exit(0);
    }
    printf("%d\n", sum);
    return 0;
}
