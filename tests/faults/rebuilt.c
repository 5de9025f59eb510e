/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is built again while it runs. Usage: rebuilt FILE. It gives FILE its own path, as a linker
 * does. Compiled with -DAGAIN the same code has other lines.
 */
#include <stdio.h>
#include <unistd.h>

#ifdef AGAIN
#line 1000
#endif

static int count_threads(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
    sum++;
    return sum;
}

int main(int argc, char **argv)
{
    int sum = count_threads();
    if (argc != 2 || rename(argv[1], argv[0]) != 0)
        return 1;
    sum += count_threads();
    sleep(1); /* The writer makes a checkpoint meanwhile, for which it looks up the lines. */
    puts(sum == 4 ? "right" : "wrong");
    return 17;
}
