/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Atomic updates: inline for clang, through the runtime for some types and for gcc.
//: [clang] ldflags -latomic
//: threads 2
//: events ThreadFork 1
*/
#include <complex.h>
#include <stdio.h>

int main(void)
{
    int number = 0;
    long double wide = 0;
    double complex pair = 0;

#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 5; i++) {
#pragma omp atomic
            number += 1;
#pragma omp atomic
            wide += 1;
#ifdef __clang__
#pragma omp atomic
#else
#pragma omp critical
#endif
            pair += 1;
        }
    }
    printf("%d %g %g\n", number, (double)wide, creal(pair));
    return 0;
}
