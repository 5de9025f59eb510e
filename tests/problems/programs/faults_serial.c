/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread touches memory for the first time that all use then. Mended: each thread touches its part.
//: proposal parallel
*/
#include "work.h"

#include <sys/mman.h>

enum { ROUNDS = 16, BYTES = 48 << 20, PAGE = 4096 };

static char *map(void)
{
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        exit(1);
    madvise(pages, BYTES, MADV_NOHUGEPAGE);
    return pages;
}

APART void touch(char *pages)
{
    for (long i = 0; i < BYTES; i += PAGE)
        pages[i] = 1;
}

APART void use(char *pages)
{
#pragma omp parallel for schedule(static) /* HERE page_faults before */
    for (long i = 0; i < BYTES; i += PAGE)
        pages[i] = 2;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long rounds = run_scaled(&run, ROUNDS);

    for (long round = 0; round < rounds; round++) {
        char *pages = map();
        if (!run.mended)
            touch(pages);
        use(pages);
    }
    return run_end();
}
