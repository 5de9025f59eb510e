/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads for the writer to look at: observed THREADS SECONDS compute|sleep|regions. In one parallel region
 * each computes or sleeps until the time is over, or in a region a millisecond.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const int threads = argc > 3 ? atoi(argv[1]) : 64;
    const double end = omp_get_wtime() + (argc > 3 ? atof(argv[2]) : 5);
    const int computes = argc <= 3 || strcmp(argv[3], "compute") == 0;
    while (argc > 3 && strcmp(argv[3], "regions") == 0 && omp_get_wtime() < end)
#pragma omp parallel num_threads(threads)
        usleep(1000);
#pragma omp parallel num_threads(threads)
    while (omp_get_wtime() < end)
        if (!computes)
            usleep(20000);
    return 0;
}
