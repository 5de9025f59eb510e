/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The length of a text is asked for in each round of a loop, which may change the text as far as the compiler
 * knows. Mended: once.
//: proposal once
*/
#include "work.h"

enum { BLOCKS = 1400, SWEEPS = 4, BLOCK = 250, BYTES = BLOCKS * BLOCK };

static char text[BYTES + 1];

APART long count_always(const char *from, size_t begin)
{
    long count = 0;
    for (size_t i = begin; i < begin + BLOCK && i < strlen(from); i++) {
        count += from[i] == 'a';
        __asm__ volatile("" : : : "memory");
    }
    return count;
}

APART long count_once(const char *from, size_t begin)
{
    long count = 0;
    const size_t length = strlen(from);
    for (size_t i = begin; i < begin + BLOCK && i < length; i++) {
        count += from[i] == 'a';
        __asm__ volatile("" : : : "memory");
    }
    return count;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long blocks = run_scaled(&run, (long)SWEEPS * BLOCKS);

    memset(text, 'a', BYTES);
#pragma omp parallel for schedule(dynamic, 1) /* HERE hot_function */
    for (long block = 0; block < blocks; block++) {
        size_t begin = (size_t)(block % BLOCKS) * BLOCK;

        keep((uint64_t)(run.mended ? count_once(text, begin) : count_always(text, begin)));
    }
    return run_end();
}
