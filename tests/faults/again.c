/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that becomes itself again and again (exec), each time once the children are zombies that were
 * made for it. None of earlier times may be left.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 5 };

int main(int argc, char **argv)
{
    char next[16];
    siginfo_t ended;
    int left = 0;
    const int times = argc > 1 ? atoi(argv[1]) : 0;
    (void)waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT | __WALL);
    if (times < TIMES) {
        (void)snprintf(next, sizeof(next), "%d", times + 1);
        (void)execl("/proc/self/exe", argv[0], next, (char *)NULL);
        return 1;
    }
    while (wait4(-1, NULL, __WALL, NULL) > 0)
        left++;
#pragma omp parallel
    if (omp_get_thread_num() == 0 && left <= 1)
        puts("right");
    return 17;
}
