/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forked child that uses OpenMP itself gets an archive of its own.
//: only !gcc
//: archives 2
//: [main] enter parallel@parent 4
//: [main] enter parallel@child 0
//: [child] enter parallel@parent 0
//: [child] enter parallel@child 4
//: end finalize
*/
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;
    int status = 0;
    pid_t child;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @parent
    sum += 1;
    child = fork();
    if (child == 0) {
        sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum) // @child
        sum += 1;
        exit(sum);
    }
    waitpid(child, &status, 0);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @parent
    sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
