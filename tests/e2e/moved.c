/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that puts its threads on the first of its processors after their first region, for two seconds.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

int main(void)
{
    cpu_set_t allowed;
    cpu_set_t one;
    int first = 0;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    while (!CPU_ISSET(first, &allowed))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    omp_set_num_threads(2);
#pragma omp parallel
    (void)omp_get_thread_num();
#pragma omp parallel
    {
        sched_setaffinity(0, sizeof(one), &one);
        const double end = omp_get_wtime() + 2;
        while (omp_get_wtime() < end)
            ;
    }
    return 0;
}
