/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parent has not used OpenMP when it forks; both do afterwards.
//: archives 2
//: events ThreadFork 1
//: enter parallel@parent <=2
//: enter parallel@child <=2
*/
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
#pragma omp parallel num_threads(2) reduction(+ : sum) // @child
        sum += 1;
        exit(sum);
    }
    waitpid(child, &status, 0);
#pragma omp parallel num_threads(2) reduction(+ : sum) // @parent
    sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
