/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A child by fork() that uses no OpenMP: at its exit the runtime ends the devices that the parent
initialised,
 * which must not become an archive.
//: only offload
//: archives 1
*/
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;
    int status = 0;

#pragma omp target map(tofrom : sum)
    sum += 1;
    pid_t child = fork();
    if (child == 0)
        exit(3);
    waitpid(child, &status, 0);
    printf("%d %d\n", sum, WEXITSTATUS(status));
    return 0;
}
