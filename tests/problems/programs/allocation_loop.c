/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each round of a loop allocates some small objects and frees them. Mended: each thread has room of its own.
//: proposal reuse
*/
#include "work.h"

enum { ROUNDS = 4000000, OBJECTS = 16, BYTES = 600 };

static void use(char **objects, long round)
{
    for (int i = 0; i < OBJECTS; i++)
        objects[i][0] = (char)round;
    __asm__ volatile("" : : "r"(objects) : "memory");
}

APART void allocate(long round)
{
    char *objects[OBJECTS];
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = malloc((size_t)(100 + (round + i * 37) % 500));
    use(objects, round);
    for (int i = 0; i < OBJECTS; i++)
        free(objects[i]);
}

APART void reuse(long round)
{
    static _Thread_local char room[OBJECTS][BYTES];
    char *objects[OBJECTS];
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = room[i];
    use(objects, round);
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long rounds = run_scaled(&run, ROUNDS);

#pragma omp parallel for schedule(static) /* HERE allocation */
    for (long round = 0; round < rounds; round++)
        if (run.mended)
            reuse(round);
        else
            allocate(round);
    keep((uint64_t)rounds);
    return run_end();
}
