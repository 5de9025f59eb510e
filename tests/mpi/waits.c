/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that wait for each other in ways that are known: sleeps of 20 ms, ROUNDS times. Each prints a
 * line for each call that may wait or that another one waits for: "RANK WHAT PEER BEGIN END", in ns of the
 * machine's clock. Usage: waits WAY sender      rank 1 waits for rank 0, which works in a parallel region
 *   request     the same with Irecv and Wait
 *   receiver    rank 0 sends more than MPI keeps, and waits for rank 1
 *   all         all wait for rank 2 in Allreduce
 *   root        all wait for rank 0 in Bcast
 *   chain       rank 1 waits for rank 0, and rank 2 for rank 1
 *   held        a thread is in MPI while the others of its team wait at the barrier
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, LONG = 20000, MANY = 1 << 22, CALLS = 4 * ROUNDS };

static int rank;
static struct {
    char what; /* 's'end, 'r'eceive, 'c'ollective */
    int peer;
    long begin;
    long end;
} calls[CALLS];
static int count;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void begins(char what, int peer)
{
    calls[count].what = what;
    calls[count].peer = peer;
    calls[count].begin = now();
}

static void ends(void)
{
    calls[count++].end = now();
}

static void work(int late)
{
#pragma omp parallel num_threads(2)
    usleep(rank == late ? LONG : 0);
}

static void pass_on(int from, int to, int *data, int size, int asked)
{
    MPI_Request request;
    if (rank == from) {
        begins('s', to);
        MPI_Send(data, size, MPI_INT, to, 3, MPI_COMM_WORLD);
        ends();
    }
    if (rank != to)
        return;
    if (asked)
        MPI_Irecv(data, size, MPI_INT, from, 3, MPI_COMM_WORLD, &request);
    begins('r', from);
    if (asked)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        MPI_Recv(data, size, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ends();
}

static void one_round(const char *way, int *data)
{
    int sum;
    work(strcmp(way, "all") == 0 ? 2 : strcmp(way, "receiver") == 0 ? 1 : 0);
    if (strcmp(way, "sender") == 0 || strcmp(way, "request") == 0) {
        pass_on(0, 1, data, 1, way[0] == 'r');
    } else if (strcmp(way, "receiver") == 0) {
        pass_on(0, 1, data, MANY, 0);
    } else if (strcmp(way, "chain") == 0) {
        pass_on(0, 1, data, 1, 0);
        pass_on(1, 2, data, 1, 0);
    } else {
        begins('c', 0);
        if (strcmp(way, "root") == 0)
            MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
        else
            MPI_Allreduce(data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        ends();
    }
}

/* Rank 0's first thread waits for a message of rank 1, and its second for the first. */
static void held(int *data)
{
    if (rank == 1)
        usleep(LONG);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        pass_on(1, 0, data, 1, 0);
    }
}

int main(int argc, char **argv)
{
    int *data = calloc(MANY, sizeof(*data));
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(-1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++)
        if (strcmp(argv[1], "held") == 0)
            held(data);
        else
            one_round(argv[1], data);
    MPI_Finalize();
    for (int i = 0; i < count; i++)
        printf("%d %c %d %ld %ld\n", rank, calls[i].what, calls[i].peer, calls[i].begin, calls[i].end);
    free(data);
    return 0;
}
