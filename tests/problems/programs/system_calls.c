/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each iteration asks the system what it knows already. Mended: it asks once in a hundred.
//: proposal fewer
*/
#include "work.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { ITERATIONS = 4000000, RARE = 100 };

int main(int argc, char **argv)
{
    struct run run = run_begin(argc, argv);
    long iterations = run_scaled(&run, ITERATIONS);
    uint64_t parents = 0;

#pragma omp parallel for schedule(static) reduction(+ : parents) /* HERE system_time */
    for (long i = 0; i < iterations; i++)
        if (!run.mended || i % RARE == 0)
            parents += syscall(SYS_getppid) > 0;
    keep(parents > 0);
    return run_end();
}
