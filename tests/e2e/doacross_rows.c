/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Doacross loops of 99 x 99 iterations. Usage: doacross_rows few|dense|work. Prints how many dependences
 * (ordered depend, of two dimensions each) there were in all.
 */
#include <stdio.h>
#include <string.h>

enum { EDGE = 99, FEW = 1, MANY = 5, STEPS = 8000 };

static long cells[EDGE + 1][EDGE + 1];

/* Some microseconds. */
static void work(void)
{
    unsigned x = 1;
    for (int i = 0; i < STEPS; i++)
        x = x * 1664525U + 1013904223U;
    __asm__ volatile("" : : "r"(x));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    const int times = strcmp(way, "dense") == 0 ? MANY : FEW;
    const int works = strcmp(way, "work") == 0;

    for (int turn = 0; turn < times; turn++) {
#pragma omp parallel num_threads(2)
#pragma omp for ordered(2) schedule(static) /* @loop */
        for (int i = 1; i <= EDGE; i++) {
            for (int j = 1; j <= EDGE; j++) {
                if (works)
                    work();
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                cells[i][j] = cells[i - 1][j] + cells[i][j - 1] + 1;
#pragma omp ordered depend(source)
            }
        }
    }
    /* One for each iteration, and one for each of the two around it that is an iteration. */
    printf("%ld\n", times * ((long)EDGE * EDGE + 2L * EDGE * (EDGE - 1)));
    return 0;
}
