/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program whose start-up tests/bench/startup.c measures: it does nothing. With -fopenmp it is linked to
 * the runtime, which its second, never taken branch keeps from being left out.
 */
#ifdef _OPENMP
#include <omp.h>
#endif

int main(int argc, char **argv)
{
    (void)argv;
#ifdef _OPENMP
    if (argc > 1)
        return omp_get_max_threads();
#endif
    return argc > 1;
}
