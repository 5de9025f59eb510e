/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many threads with many events each: rounds of a loop in chunks and a critical section. Run by
 * tests/bench/run.py. Usage: chunks ROUNDS CHUNKS_OF_A_THREAD
 */
#include "bench.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void work(long amount)
{
    volatile double sum = 0;
    for (long i = 0; i < amount; i++)
        sum = sum + (double)i;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    long chunks = argc > 2 ? atol(argv[2]) : 100;
    for (long round = 0; round < rounds; round++) {
#pragma omp parallel
        {
#pragma omp for schedule(dynamic)
            for (long i = 0; i < chunks * omp_get_num_threads(); i++)
                work(200 + i % 97);
#pragma omp critical
            work(10);
        }
        work(100000);
    }
    return 0;
}
