/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that work and wait for each other in each round. All work equally, or rank 0 ten times as long
 * ("uneven"), also with messages to both neighbours ("exchange"). Or rank 0 sends a block of numbers in each,
 * one by one ("small") or all at once ("large"). Or it works for an answer to each message of the others
 * ("answers"). The second word says how many rounds.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 30, STEPS = 1000000, NUMBERS = 10000 };

static volatile double result;

static void work(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += i * 1e-9;
    result = sum;
}

static double block[NUMBERS];

static void pass_block(int rank, int each)
{
    for (int i = 0; i < NUMBERS; i += each)
        if (rank == 0)
            MPI_Send(&block[i], each, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&block[i], each, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void answer(int rank, int size)
{
    int number = rank;
    if (rank > 0) {
        MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Status status;
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        work();
        MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
}

static void exchange(int rank, int size)
{
    int number = rank;
    for (int step = 1; step < size; step += size - 2) { /* to the right, to the left */
        const int to = (rank + step) % size;
        const int from = (rank + size - step) % size;
        MPI_Sendrecv_replace(&number, 1, MPI_INT, to, 0, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    const int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    int rank, size;
    int one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int answers = strcmp(way, "answers") == 0;
    const int sends = strcmp(way, "small") == 0 || strcmp(way, "large") == 0;
    const int exchanges = strcmp(way, "exchange") == 0;
    const int is_uneven = exchanges || strcmp(way, "uneven") == 0;
    const int times = sends || answers ? 0 : is_uneven && rank == 0 ? 10 : 1;
    for (int i = 0; i < rounds; i++) {
#pragma omp parallel num_threads(1)
        for (int k = 0; k < times; k++)
            work();
        if (sends)
            pass_block(rank, strcmp(way, "small") == 0 ? 1 : NUMBERS);
        if (exchanges)
            exchange(rank, size);
        if (answers)
            answer(rank, size);
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
