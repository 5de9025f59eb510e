/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that limits its address space (RLIMIT_AS) before its first parallel region, and needs little.
 * Usage: lowered MEBIBYTES. Prints "right" if all threads took part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    const rlim_t bytes = (rlim_t)strtoul(argc > 1 ? argv[1] : "0", NULL, 10) << 20;
    const struct rlimit limit = {bytes, bytes};
    long threads = 0;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 1;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    puts(threads == 2 ? "right" : "wrong");
    return 17;
}
