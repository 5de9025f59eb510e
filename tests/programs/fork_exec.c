/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fork and exec of a program without OpenMP.
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
    fflush(stdout);
    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "echo shell; exit 5", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @after
    sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
