/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank of a hybrid program: MPI around parallel regions. Usage: hybrid [MODE]... where a MODE is
 *   serial R    rank R never uses OpenMP
 *   kill R      rank R kills itself in the middle, and MPI ends the others
 *   early       OpenMP is used before MPI_Init too
 *   stagger     rank R begins R/20 s after the first, and nobody waits for anybody
 *   twice       each rank runs itself once more as a program of its own
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REGIONS = 5 };

struct modes {
    int serial;
    int killed;
    int early;
    int stagger;
};

static struct modes read_modes(int argc, char **argv)
{
    struct modes modes = {.serial = -1, .killed = -1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "serial") == 0 && i + 1 < argc)
            modes.serial = atoi(argv[++i]);
        else if (strcmp(argv[i], "kill") == 0 && i + 1 < argc)
            modes.killed = atoi(argv[++i]);
        modes.early |= strcmp(argv[i], "early") == 0;
        modes.stagger |= strcmp(argv[i], "stagger") == 0;
    }
    return modes;
}

static double work(int regions)
{
    double sum = 0;
    for (int i = 0; i < regions; i++) {
#pragma omp parallel for reduction(+ : sum)
        for (int k = 0; k < 1000; k++)
            sum += k;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct modes modes = read_modes(argc, argv);
    int rank, size;
    double all = 0;
    double sum = modes.early ? work(1) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (modes.stagger)
        usleep(50000U * (unsigned)rank); /* one after the other */
    if (rank != modes.serial)
        sum += work(REGIONS);
    if (rank == modes.killed)
        kill(getpid(), SIGKILL);
    if (!modes.stagger)
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("%d ranks: %.0f\n", size, all);
    return 0;
}
