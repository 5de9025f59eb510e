/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A call tree whose shares are known: in a parallel region and then in the serial part behind it, f takes 70 %
 * of the processor time, g 20 % and h 10 %.
 */
#include <stdlib.h>

static volatile double sink;

/* So much work, which no compiler leaves out. */
#define WORK(turns)                                                                                          \
    double value = 1;                                                                                        \
    for (long i = 0; i < (turns); i++) {                                                                     \
        value = value * 1.0000001 + 1e-9;                                                                    \
        __asm__ volatile("" : "+m"(value));                                                                  \
    }                                                                                                        \
    sink = value

__attribute__((noinline)) static int f(long turns)
{
    WORK(7 * turns);
    return 1;
}

__attribute__((noinline)) static int g(long turns)
{
    WORK(2 * turns);
    return 2;
}

__attribute__((noinline)) static int h(long turns)
{
    WORK(turns);
    return 3;
}

__attribute__((noinline)) static int all(long turns)
{
    return f(turns) + g(turns) + h(turns);
}

int main(int argc, char **argv)
{
    const long turns = argc > 1 ? atol(argv[1]) : 20000;
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 400; i++)
        sum += all(turns);
    for (int i = 0; i < 100; i++)
        sum += all(turns);
    return sum != 900 * 6;
}
