/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that leaves its marks by longjmp from the handler of a timer, also while the first of them starts
 * a session. Then it makes a region, and marks without a name.
 */
#include <omptape/omptape.h>

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { JUMPS = 50, PERIOD_US = 100 };

static sigjmp_buf again;

static void jump(int number)
{
    (void)number;
    siglongjmp(again, 1);
}

int main(void)
{
    const struct itimerval soon = {.it_value = {.tv_usec = PERIOD_US}};
    volatile int jumps = 0;
    int sum = 0;
    signal(SIGALRM, jump);
    if (sigsetjmp(again, 1) != 0)
        jumps++;
    if (jumps < JUMPS) {
        (void)setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            omptape_mark("jumps");
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    omptape_mark("");
    omptape_value("", 1);
    puts(sum == 45 ? "right" : "wrong");
    return 17;
}
