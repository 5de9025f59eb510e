/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A child by fork() that leaves through exit(): the handlers it inherited must not touch the parent's trace.
 * libomp 16 hangs there by itself, tool or not.
//: only !16
//: archives 1
//: threads 2
//: enter parallel@after 2
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

#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += 1;
    child = fork();
    if (child == 0) {
        exit(11);
    }
    waitpid(child, &status, 0);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
