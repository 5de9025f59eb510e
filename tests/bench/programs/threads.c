/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that come and go: each with a team of two of its own, as many at once as are asked for. What the
 * archive's readers have to keep of each thread and each team. Run by tests/bench/scale.py and
 * tests/e2e/growth.py. Usage: threads THREADS AT_ONCE
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

enum { MAX_AT_ONCE = 256 };

static long sum;

static void *meet(void *unused)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sum++;
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t made[MAX_AT_ONCE];
    if (argc < 3)
        return 2;
    long left = atol(argv[1]);
    long at_once = atol(argv[2]);
    if (at_once < 1 || at_once > MAX_AT_ONCE)
        return 2;
    long expected = 2 * left;
    omp_set_dynamic(0);
    while (left > 0) {
        long count = left < at_once ? left : at_once;
        for (long i = 0; i < count; i++)
            if (pthread_create(&made[i], NULL, meet, NULL) != 0)
                return 1;
        for (long i = 0; i < count; i++)
            pthread_join(made[i], NULL);
        left -= count;
    }
    return sum == expected ? 0 : 1;
}
