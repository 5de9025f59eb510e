/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs on a node whose processors are files in FOLDER: the first package uses 3 J, and its counter wraps
 * around meanwhile. energy FOLDER vanish: then the second package vanishes.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Longer than the writer's time between two readings. */
static void let_it_read(void)
{
#pragma omp parallel num_threads(2)
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 300000000}, NULL);
}

int main(int argc, char **argv)
{
    char path[4096];
    let_it_read();
    snprintf(path, sizeof(path), "%s/intel-rapl:0/energy_uj", argv[1]);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs("2000000\n", file) < 0 || fclose(file) != 0)
        return 1;
    let_it_read();
    snprintf(path, sizeof(path), "%s/intel-rapl:1/energy_uj", argv[1]);
    if (argc > 2 && strcmp(argv[2], "vanish") == 0 && unlink(path) != 0)
        return 1;
    let_it_read();
    return 0;
}
