/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A daemon's start: gives up root's rights before it uses OpenMP. Usage: dropped USER.
 */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* In main the compiler would ask the runtime for the thread's number at its beginning. */
static __attribute__((noinline)) long meet(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    return sum;
}

int main(int argc, char **argv)
{
    const uid_t user = argc > 1 ? (uid_t)atoi(argv[1]) : 0;
    if (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0) {
        perror("dropped");
        return 1;
    }
    printf("%s\n", meet() == 2 ? "right" : "wrong");
    return 17;
}
