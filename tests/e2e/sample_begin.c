/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose input takes most of its time, before its first region. Usage: sample_begin MILLISECONDS
 * [unused|again]. It reads for so long, of processor time. Then it ends without OpenMP, or becomes a new
 * program which reads once more.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static double processor_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

__attribute__((noinline)) static void parse(void)
{
    double value = 1;
    for (int i = 0; i < 100000; i++) {
        value = value * 1.0000001 + 1e-9;
        __asm__ volatile("" : "+m"(value));
    }
    sink = value;
}

__attribute__((noinline)) static void read_input(double ms)
{
    const double end = processor_ms() + ms;
    while (processor_ms() < end)
        parse();
}

/* The compiler's code asks the runtime for the thread's number where a function begins: main has no region.
 */
__attribute__((noinline)) static void meet(void)
{
#pragma omp parallel num_threads(2)
    parse();
}

int main(int argc, char **argv)
{
    const char *then = argc > 2 ? argv[2] : "";
    if (argc < 2)
        return 2;
    read_input(atof(argv[1]));
    if (strcmp(then, "unused") == 0)
        return 3;
    if (strcmp(then, "again") == 0) {
        execl("/proc/self/exe", argv[0], argv[1], (char *)NULL);
        return 2;
    }
    meet();
    return 0;
}
