/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two loops of as many rounds as the argument says: touch() causes a page fault for each page of fresh memory,
 * compute() none. Prints how many pages all threads together touched.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 2, PAGE = 4096, BYTES = 8 << 20 };

__attribute__((noinline)) static long touch(void)
{
    long pages = 0;
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, BYTES, MADV_NOHUGEPAGE) != 0)
        return 0;
    for (volatile char *at = memory; at < memory + BYTES; at += PAGE, pages++)
        *at = 1;
    munmap(memory, BYTES);
    return pages;
}

__attribute__((noinline)) static double compute(double x)
{
    for (int i = 0; i < 1000000; i++)
        x = x * 0.999999 + 1e-9;
    return x;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    long pages = 0;
    double sum = 0;
    omp_set_num_threads(THREADS);
#pragma omp parallel for schedule(static) reduction(+ : pages) /* HERE */
    for (int i = 0; i < rounds; i++)
        pages += touch();
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < rounds; i++)
        sum += compute(i);
    printf("%ld\n", pages);
    return sum < 0;
}
