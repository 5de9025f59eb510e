/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each product is reduced by a division of 128 bits, which a function of the compiler's computes.
 * It is linked into the program. Mended: the modulus is a Mersenne number, for which shifts do.
//: proposal 64 bits
*/
#include "work.h"

enum { ITERATIONS = 1000000000 };

#define MODULUS (((uint64_t)1 << 61) - 1)

static volatile uint64_t given = MODULUS; /* no constant, of which compilers make shifts */

APART uint64_t by_division(uint64_t x, uint64_t modulus)
{
    return (uint64_t)((unsigned __int128)x * x % modulus);
}

APART uint64_t by_shifts(uint64_t x)
{
    const unsigned __int128 product = (unsigned __int128)x * x;
    const uint64_t sum = (uint64_t)(product & MODULUS) + (uint64_t)(product >> 61);

    return sum >= MODULUS ? sum - MODULUS : sum;
}

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long iterations = run_scaled(&run, ITERATIONS);
    const uint64_t modulus = given;

#pragma omp parallel for schedule(static) /* HERE hot_function */
    for (long i = 0; i < iterations; i++) {
        const uint64_t x = (uint64_t)i * 2654435761U + 88172645463325252U % MODULUS;

        const uint64_t square = run.mended ? by_shifts(x) : by_division(x, modulus);
        __asm__ volatile("" : : "r"(square));
    }
    return run_end();
}
