/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that all work equally, and wait for each other in each round: on fewer processors those that wait keep
 * the processor from those that they wait for.
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
    int one = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(1)
        work();
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
