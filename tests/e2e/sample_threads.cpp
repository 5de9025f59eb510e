/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that computes in threads of its own: in two std::threads, alternate() takes 75 % of the processor
 * time in heavy() and 25 % in light(). OpenMP has one short region. The argument is the milliseconds of
 * processor time that each of them takes.
 */
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <thread>

static volatile double sink;

/* In turns of so much work, which no compiler leaves out. */
static void work(long turns)
{
    double value = 1;
    for (long i = 0; i < turns * 20000; i++) {
        value = value * 1.0000001 + 1e-9;
        __asm__ volatile("" : "+m"(value));
    }
    sink = value;
}

__attribute__((noinline)) static int heavy()
{
    work(3);
    return 1;
}

__attribute__((noinline)) static int light()
{
    work(1);
    return 2;
}

static double milliseconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void alternate(double most)
{
    pthread_setname_np(pthread_self(), "pool");
    while (milliseconds() < most)
        if (heavy() + light() != 3)
            return;
}

int main(int argc, char **argv)
{
    const double most = argc > 1 ? std::atof(argv[1]) : 400;
    std::thread one(alternate, most);
    std::thread other(alternate, most);
#pragma omp parallel num_threads(2)
    sink = 1;
    one.join();
    other.join();
    return 0;
}
