/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each iteration maps memory, uses it once and gives it back. Mended: the same memory for all.
//: proposal reuse
*/
#include "work.h"

#include <sys/mman.h>

enum { ITERATIONS = 1600, BYTES = 4 << 20, PAGE = 4096 };

static char *map(void)
{
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        exit(1);
    madvise(pages, BYTES, MADV_NOHUGEPAGE);
    return pages;
}

static void use(char *pages, long iteration)
{
    for (long i = 0; i < BYTES; i += PAGE)
        pages[i] = (char)iteration;
    keep(work(10, iteration) + (uint64_t)pages[PAGE]);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long iterations = run_scaled(&run, ITERATIONS);

#pragma omp parallel
    {
        char *own = map();
#pragma omp for schedule(static) /* HERE page_faults */
        for (long i = 0; i < iterations; i++) {
            char *pages = run.mended ? own : map();
            use(pages, i);
            if (!run.mended)
                munmap(pages, BYTES);
        }
        munmap(own, BYTES);
    }
    return run_end();
}
