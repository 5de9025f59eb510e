/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that keeps its state from others of its user, as ssh-agent does, and ends by a signal.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
    sum++;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || sum != 2)
        return 1;
    puts("right");
    fflush(stdout);
    return kill(getpid(), SIGSEGV);
}
