/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel of short parallel regions: every thread works some microseconds in each. Run by
 * tests/bench/run.py. Usage: forkjoin REGIONS STEPS
 */
#include "bench.h"

#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long regions = argc > 1 ? atol(argv[1]) : 1000;
    unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 5000;
    int threads = omp_get_max_threads();
    uint64_t *sums = calloc((size_t)threads * 8, sizeof(*sums)); /* a cache line each */
    uint64_t total = 0;
    uint64_t seeds = 0;
    if (sums == NULL || regions < 1)
        return 2;

    uint64_t begin = bench_ns();
    for (long region = 0; region < regions; region++) {
#pragma omp parallel
        {
            int thread = omp_get_thread_num();
            sums[thread * 8] += bench_work((uint64_t)(region + thread), steps);
        }
    }
    for (int thread = 0; thread < threads; thread++) {
        total += sums[thread * 8];
        for (long region = 0; region < regions; region++)
            seeds += (uint64_t)(region + thread);
    }
    return bench_finish(begin, total == bench_expected(seeds, (uint64_t)regions * (uint64_t)threads, steps));
}
