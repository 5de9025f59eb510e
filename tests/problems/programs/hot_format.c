/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each iteration makes a text of a number of which nobody needs more than the length. Mended:
 * digits are counted.
//: proposal to_chars
*/
#include "work.h"

enum { ITERATIONS = 48000000, BYTES = 64 };

APART long digits(long number)
{
    long count = 1;
    for (; number > 9; number /= 10)
        count++;
    return count;
}

APART long format(long number)
{
    char text[BYTES];
    return snprintf(text, sizeof(text), "%ld", number);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long iterations = run_scaled(&run, ITERATIONS);
    long sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE hot_function */
    for (long i = 0; i < iterations; i++)
        sum += run.mended ? digits(i * 7919) : format(i * 7919);
    keep((uint64_t)sum);
    return run_end();
}
