/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs on a node whose processors are files in FOLDER: the first package uses 3 J, and its counter wraps
 * around meanwhile. energy FOLDER SECONDS vanish: then the second package vanishes. Each step takes SECONDS,
 * longer than the writer's time between two readings.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void let_it_read(double seconds)
{
    const long whole = (long)seconds;
    const struct timespec time = {.tv_sec = whole, .tv_nsec = (long)((seconds - (double)whole) * 1e9)};
#pragma omp parallel num_threads(2)
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    char path[4096];
    const double seconds = argc > 2 ? atof(argv[2]) : 1.3;
    let_it_read(seconds);
    snprintf(path, sizeof(path), "%s/intel-rapl:0/energy_uj", argv[1]);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs("2000000\n", file) < 0 || fclose(file) != 0)
        return 1;
    let_it_read(seconds);
    snprintf(path, sizeof(path), "%s/intel-rapl:1/energy_uj", argv[1]);
    if (argc > 3 && strcmp(argv[3], "vanish") == 0 && unlink(path) != 0)
        return 1;
    let_it_read(seconds);
    return 0;
}
