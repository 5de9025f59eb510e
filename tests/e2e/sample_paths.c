/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Call paths that no thread's own stack has: f, g and h begin teams of one region in turn, with 70, 20 and 10
 * % of the processor time, and tasks are created deep in calls and executed by whoever comes.
 */
#include <stdlib.h>

static volatile double sink;

__attribute__((noinline)) static void work(long turns)
{
    double value = 1;
    for (long i = 0; i < turns; i++) {
        value = value * 1.0000001 + 1e-9;
        __asm__ volatile("" : "+m"(value));
    }
    sink = value;
}

/* All of equal length, so that both threads leave at the same time. */
__attribute__((noinline)) static void kernel(long turns)
{
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 4; i++)
        work(turns);
}

/* A call at the end must not become a jump. */
#define CALLER(name, share)                                                                                  \
    __attribute__((noinline)) static void name(long turns)                                                   \
    {                                                                                                        \
        kernel((share)*turns);                                                                               \
        __asm__ volatile("");                                                                                \
    }

CALLER(f, 7)
CALLER(g, 2)
CALLER(h, 1)

static int compare(const void *left, const void *right)
{
    work(20000);
    return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) static void spawn(int count)
{
    for (int i = 0; i < count; i++) {
#pragma omp task
        {
            int numbers[16];
            for (int k = 0; k < 16; k++)
                numbers[k] = k * 7919 % 101;
            qsort(numbers, 16, sizeof(numbers[0]), compare);
        }
    }
    __asm__ volatile("");
}

__attribute__((noinline)) static long fib(int n)
{
    long a;
    long b;
    if (n < 2) {
        work(30000);
        return n;
    }
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(int argc, char **argv)
{
    const long turns = argc > 1 ? atol(argv[1]) : 150000;
    long sum = 0;
    for (int i = 0; i < 40; i++) {
        f(turns);
        g(turns);
        h(turns);
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        spawn(100);
#pragma omp taskwait
        sum = fib(12);
    }
    return sum != 144;
}
