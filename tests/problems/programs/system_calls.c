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

#pragma omp parallel for schedule(static) /* HERE system_time */
    for (long i = 0; i < iterations; i++)
        if (!run.mended || i % RARE == 0)
            keep((uint64_t)(syscall(SYS_getppid) > 0));
    keep(0 - __atomic_load_n(&total, __ATOMIC_RELAXED));
    return run_end();
}
