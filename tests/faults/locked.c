/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that locks all of its memory, as those do that must not wait for a page. Usage: locked
 * before|after. It does so before its first parallel region, or after it. Prints "right" if that takes no
 * more than the program needs. Exit code 77 without the right to lock memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Locked memory that is too much for two threads' stacks, the libraries and a tool's buffer. */
enum { MAX_KIB = 300 << 10 };

static long count_threads(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
    return sum;
}

static void lock_memory(void)
{
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        exit(77);
}

/* Returns the process's memory in KiB, or 0 if it is unknown. */
static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "VmRSS:", strlen("VmRSS:")) == 0)
            kib = strtol(line + strlen("VmRSS:"), NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

int main(int argc, char **argv)
{
    const int before = argc > 1 && strcmp(argv[1], "before") == 0;
    if (before)
        lock_memory();
    long threads = count_threads();
    if (!before)
        lock_memory();
    threads += count_threads();
    const long kib = resident_kib();
    if (threads == 4 && kib > 0 && kib < MAX_KIB)
        puts("right");
    else
        printf("%ld threads, %ld KiB\n", threads, kib);
    return 17;
}
