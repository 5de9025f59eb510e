/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages from OpenMP's threads at a time (MPI_THREAD_MULTIPLE): each thread of a rank exchanges with the
 * same thread of the next one, some of them with small messages whose requests have one handle; and threads
 * that come and go send one each. Prints as calls.c does. Usage: threads [ROUNDS]
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int omp_get_thread_num(void);

enum { THREADS = 20 };
static int next_rank, previous_rank;

/* A thread that no OpenMP runtime knows, which sends one message and ends. */
static void *send_one(void *number)
{
    int in, out = 1;
    MPI_Sendrecv(&out, 1, MPI_INT, next_rank, *(int *)number, &in, 1, MPI_INT, previous_rank, *(int *)number,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void start_threads(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        int tag = 100 + i;
        pthread_create(&thread, NULL, send_one, &tag);
        pthread_join(thread, NULL);
    }
}

enum { PAIRS = 4, WORDS = 2048 };

/* One thread's messages: small ones, and one that has to wait for its receiver. */
static void exchange(int rank, int size, int thread, int rounds)
{
    MPI_Request requests[2 * PAIRS];
    int *out = calloc(WORDS, sizeof(*out));
    int *in = calloc(PAIRS * WORDS, sizeof(*in));
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < PAIRS; k++) {
            int words = k == 0 ? WORDS : 1;
            MPI_Irecv(in + k * WORDS, WORDS, MPI_INT, (rank + size - 1) % size, thread, MPI_COMM_WORLD,
                      &requests[k]);
            MPI_Isend(out, words, MPI_INT, (rank + 1) % size, thread, MPI_COMM_WORLD, &requests[PAIRS + k]);
        }
        MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE);
    }
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    int provided, rank, size, threads = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
        threads++;
        exchange(rank, size, omp_get_thread_num(), rounds);
    }
    next_rank = (rank + 1) % size;
    previous_rank = (rank + size - 1) % size;
    start_threads();
    MPI_Finalize();
    long messages = (long)threads * rounds * PAIRS;
    long bytes = 4L * (THREADS + (long)threads * rounds * (WORDS + PAIRS - 1));
    printf(
        "rank %d: sent %ld %ld received %ld %ld MPI_Init_thread 1 MPI_Finalize 1 MPI_Isend %ld MPI_Irecv %ld "
        "MPI_Waitall %d MPI_Sendrecv %d\n",
        rank, messages + THREADS, bytes, messages + THREADS, bytes, messages, messages, threads * rounds,
        THREADS);
    return 0;
}
