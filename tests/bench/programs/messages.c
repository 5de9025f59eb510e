/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a message costs between two ranks, in ns a call: "latency" of 8 bytes there and back, "rate" of
 * windows of 64 that do not block; and "self" of a rank that sends to itself, in ns of processor time, which
 * others on the machine change least. Usage: messages ROUNDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 8, WINDOW = 64 };

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void bounce(int rank, long rounds)
{
    char data[BYTES] = {0};
    for (long i = 0; i < rounds; i++)
        if (rank == 0) {
            MPI_Send(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
}

static void flood(int rank, long rounds)
{
    static char data[WINDOW][BYTES];
    MPI_Request requests[WINDOW];
    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < WINDOW; k++)
            if (rank == 0)
                MPI_Isend(data[k], BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(data[k], BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void stay(long rounds)
{
    char out[BYTES] = {0}, in[BYTES];
    for (long i = 0; i < rounds; i++)
        MPI_Sendrecv(out, BYTES, MPI_CHAR, 0, 0, in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 100000;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bounce(rank, rounds / 10 + 1);
    double begin = MPI_Wtime();
    bounce(rank, rounds);
    double latency = (MPI_Wtime() - begin) / (double)rounds / 2;
    flood(rank, rounds / WINDOW / 10 + 1);
    begin = MPI_Wtime();
    flood(rank, rounds / WINDOW + 1);
    double rate = (MPI_Wtime() - begin) / (double)((rounds / WINDOW + 1) * WINDOW);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = processor_time();
    if (rank == 0)
        stay(rounds);
    double self = (processor_time() - begin) / (double)rounds;
    if (rank == 0)
        printf("latency %.1f rate %.1f self %.1f\n", latency * 1e9, rate * 1e9, self * 1e9);
    MPI_Finalize();
    return 0;
}
