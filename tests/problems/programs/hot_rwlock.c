/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lock for many readers is taken for each look at a table that does not change. Mended: once in
 * each thread.
//: proposal once before the loop
*/
#include "work.h"

#include <pthread.h>

enum { LOOKS = 64000000, ENTRIES = 128 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t table[ENTRIES];

APART uint64_t look_up(long key)
{
    pthread_rwlock_rdlock(&lock);
    uint64_t value = table[key % ENTRIES];
    pthread_rwlock_unlock(&lock);
    return value;
}

APART uint64_t bad(long looks)
{
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) /* HERE hot_function */
    for (long i = 0; i < looks; i++)
        sum += look_up(i);
    return sum;
}

APART uint64_t mended(long looks)
{
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        pthread_rwlock_rdlock(&lock);
#pragma omp for schedule(static)
        for (long i = 0; i < looks; i++)
            sum += table[i % ENTRIES];
        pthread_rwlock_unlock(&lock);
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long looks = run_scaled(&run, LOOKS);

    for (long key = 0; key < ENTRIES; key++)
        table[key] = (uint64_t)key * 7919;
    keep(run.mended ? mended(looks) : bad(looks));
    return run_end();
}
