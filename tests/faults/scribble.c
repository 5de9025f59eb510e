/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overwrites the memory that it shares with its writer by random words, at random places, while its threads
 * record, and ends with code 7. What the header says is damaged in most ways that there are. Started by
 * scribbling.py.
 *
 * scribble SEED BYTES: so many at the beginning of the memory
 */
#include "shared_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 7, MAX_WORDS = 64, LAYOUT_BYTES = 64 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static void work(void)
{
    for (int i = 0; i < 2000; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp critical
            __asm__ volatile("" ::: "memory");
        }
    }
}

int main(int argc, char **argv)
{
    size_t bytes = 0;
    if (argc != 3)
        return 2;
    random_state = strtoull(argv[1], NULL, 10) * 2654435761U + 1;
    work();
    char *memory = find_shared(&bytes);
    if (memory == NULL)
        return 3;
    const size_t asked = strtoull(argv[2], NULL, 10);
    const size_t words = ((asked < bytes ? asked : bytes) - LAYOUT_BYTES) / sizeof(uint32_t);
    /* The layout stays, which the writer does not read: the program's own threads would write into nowhere.
     */
    for (unsigned count = 1 + (unsigned)(next_random() % MAX_WORDS); count > 0; count--) {
        const size_t at = LAYOUT_BYTES + next_random() % words * sizeof(uint32_t);
        const uint32_t word = (uint32_t)(next_random() >> next_random() % 64);
        memcpy(memory + at, &word, sizeof(word));
    }
    work();
    return CODE;
}
