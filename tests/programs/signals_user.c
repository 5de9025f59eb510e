/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program's own handlers and timers keep working while it is traced.
//: threads 2
*/
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

int main(void)
{
    struct itimerval timer = {{0, 2000}, {0, 2000}};
    struct sigaction action;
    long sum = 0;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (ticks < 10) {
#pragma omp parallel num_threads(2)
        {
            for (int i = 0; i < 10; i++) {
#pragma omp critical
                sum++;
            }
        }
    }
    memset(&timer, 0, sizeof(timer));
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%s\n", sum > 0 ? "ticked" : "odd");
    return 0;
}
