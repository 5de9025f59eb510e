/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that work and wait for each other in each round. All work equally, or rank 0 ten times as long
 * ("uneven").
 */
#include <mpi.h>

enum { ROUNDS = 30, STEPS = 1000000 };

static volatile double result;

static void work(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += i * 1e-9;
    result = sum;
}

int main(int argc, char **argv)
{
    int rank;
    int one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int times = argc > 1 && rank == 0 ? 10 : 1;
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(1)
        for (int k = 0; k < times; k++)
            work();
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
