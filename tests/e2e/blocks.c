/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of two threads reads one member of structures of 64 bytes: in own() those of its own block, in all()
 * those of both blocks. A block is smaller than 4 MiB, both together are larger.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

enum { BLOCK = 48 << 10, TURNS = 4000 };

struct cell {
    uint64_t value;
    char rest[56];
};
_Static_assert(BLOCK * sizeof(struct cell) < 4 << 20, "a block");

static struct cell cells[2][BLOCK];

__attribute__((noinline)) static uint64_t own(const struct cell *cell)
{
    uint64_t sum = 0;
    for (long i = 0; i < BLOCK; i++)
        sum += cell[i].value;
    return sum;
}

__attribute__((noinline)) static uint64_t all(const struct cell *cell)
{
    uint64_t sum = 1;
    for (long i = 0; i < 2 * BLOCK; i++)
        sum += cell[i].value;
    return sum;
}

int main(void)
{
    uint64_t sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (int turn = 0; turn < TURNS; turn++) {
        sum += own(cells[omp_get_thread_num()]);
        sum += all(cells[0]);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
