/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that says how far it is: "begun", then, once the file GO is there, "done" when it has made many
 * regions. Usage: remote GO
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { REGIONS = 2000 };

static long total;

static void work(int regions)
{
    for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp critical
            total++;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    work(1);
    puts("begun");
    fflush(stdout);
    while (access(argv[1], F_OK) != 0)
        usleep(1000);
    work(REGIONS);
    printf("done %ld\n", total);
    fflush(stdout);
    return 17;
}
