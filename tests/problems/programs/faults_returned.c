/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each step allocates two arrays that malloc maps and unmaps, and uses them in two loops. Mended: once.
//: proposal reuse
*/
#include "work.h"

enum { STEPS = 24, BYTES = 40 << 20, PAGE = 4096 };

static char *allocate(void)
{
    char *bytes = malloc(BYTES);
    if (bytes == NULL)
        exit(1);
    return bytes;
}

APART void use(char *a, char *b, long step)
{
#pragma omp parallel for schedule(static) /* HERE page_faults */
    for (long i = 0; i < BYTES; i += PAGE)
        a[i] = (char)step;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < BYTES / 2; i += PAGE)
        b[i] = a[i];
    keep((uint64_t)b[PAGE]);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long steps = run_scaled(&run, STEPS);
    char *a = allocate();
    char *b = allocate();

    for (long step = 0; step < steps; step++) {
        if (!run.mended) {
            free(a);
            free(b);
            a = allocate();
            b = allocate();
        }
        use(a, b, step);
    }
    free(a);
    free(b);
    return run_end();
}
