/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A function that a loop calls counts in its thread's part of a table. The parts of both threads are in one
 * cache line. There is no loop around the update itself. Mended: 128 bytes lie between the parts.
//: proposal local variable
*/
#include "work.h"

enum { ITEMS = 1200000000, FAR = 16 };

struct counts {
    uint64_t even, odd;
};

static _Alignas(128) struct counts near_parts[2];
static _Alignas(128) struct counts far_parts[2 * FAR];

__attribute__((noinline)) static void count(struct counts *part, uint32_t value)
{
    if (value >> 31 == 0)
        part->even++;
    else
        part->odd++;
}

static inline void count_all(struct counts *part, long items)
{
    uint32_t x = 1;

    for (long item = 0; item < items; item++) {
        x = x * 1664525U + 1013904223U;
        count(part, x);
    }
}

APART void count_near(long items)
{
#pragma omp parallel num_threads(2) /* HERE false_sharing */
    count_all(&near_parts[omp_get_thread_num()], items);
}

APART void count_far(long items)
{
#pragma omp parallel num_threads(2)
    count_all(&far_parts[omp_get_thread_num() * FAR], items);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long items = run_scaled(&run, ITEMS);

    if (run.mended)
        count_far(items);
    else
        count_near(items);
    for (int i = 0; i < 2; i++)
        keep(near_parts[i].even + 2 * near_parts[i].odd + far_parts[i * FAR].even +
             2 * far_parts[i * FAR].odd);
    return run_end();
}
