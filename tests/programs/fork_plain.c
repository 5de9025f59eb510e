/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A child by fork() that does nothing but end; one archive, the parent's.
//: archives 1
//: threads 2
//: enter parallel@before 2
//: enter parallel@after 2
*/
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;
    int status = 0;
    pid_t child;

#pragma omp parallel num_threads(2) reduction(+ : sum) // @before
    sum += 1;
    child = fork();
    if (child == 0) {
        _exit(11);
    }
    waitpid(child, &status, 0);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
