/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each iteration asks the environment for a setting. Mended: once.
//: proposal once
*/
#include "work.h"

enum { ITERATIONS = 8000000, VARIABLES = 60 };

APART bool is_loud(void)
{
    return getenv("PROBLEMS_LOUD") != NULL;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long iterations = run_scaled(&run, ITERATIONS);
    char name[32];

    for (int i = 0; i < VARIABLES; i++) {
        snprintf(name, sizeof(name), "PROBLEMS_%d", i);
        setenv(name, "1", 1);
    }
    const bool loud = is_loud();
#pragma omp parallel for schedule(static) /* HERE hot_function */
    for (long i = 0; i < iterations; i++) {
        const bool asked = run.mended ? loud : is_loud();
        __asm__ volatile("" : : "r"(asked));
    }
    return run_end();
}
