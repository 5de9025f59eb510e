/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned messages (MPI 4) in a ring, whose partitions OpenMP's threads say are ready, beside others of
 * the same tag. Each rank writes what it did into told.RANK. Usage: partitioned rounds|kill
 *
 * With "order" rank 0 sends numbers to rank 1, of which each message has another length; rank 1 writes the
 * lengths into told.1 as they are complete.
 */
#include "count.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { PARTS = 6, WORDS = 10, ROUNDS = 4, TAG = 7, AGAIN = 20 };

static int rank, size, to, from;
static long messages, words;
static int out[PARTS * WORDS * 2], in[PARTS * WORDS * 2];

static void note(long count, long each)
{
    messages += count;
    words += count * each;
}

static void check(int number)
{
    for (int i = 0; i < PARTS * WORDS; i++)
        if (in[i] != number)
            MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(int number)
{
    for (int i = 0; i < PARTS * WORDS; i++)
        out[i] = number;
}

static void initialize(MPI_Comm comm, MPI_Request *requests)
{
    DO(Psend_init, out, PARTS, WORDS, MPI_INT, to, TAG, comm, MPI_INFO_NULL, &requests[0]);
    DO(Precv_init, in, PARTS, WORDS, MPI_INT, from, TAG, comm, MPI_INFO_NULL, &requests[1]);
}

static void drop(MPI_Request *requests)
{
    DO(Request_free, &requests[0]);
    DO(Request_free, &requests[1]);
}

/* By two threads: DO counts for one only. */
static void make_ready(MPI_Request request)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < PARTS; i++)
        MPI_Pready(i, request);
    for (int i = 0; i < PARTS; i++)
        count("MPI_Pready");
}

/* An ordinary one of the same tag, while partitioned ones are under way, and as long as these. */
static void exchange_plain(MPI_Comm comm)
{
    static int plain[PARTS * WORDS];
    DO(Sendrecv, out, PARTS * WORDS, MPI_INT, to, TAG, plain, PARTS * WORDS, MPI_INT, from, TAG, comm,
       MPI_STATUS_IGNORE);
    note(1, PARTS * WORDS);
}

static void by_threads(MPI_Comm comm)
{
    MPI_Request requests[2];
    initialize(comm, requests);
    for (int i = 0; i < ROUNDS; i++) {
        fill(i);
        DO(Startall, 2, requests);
        exchange_plain(comm);
        make_ready(requests[0]);
        DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
        check(i);
        note(1, PARTS * WORDS);
    }
    drop(requests);
}

/* In ranges and lists; nothing of it is complete before the last. */
static void in_groups(MPI_Comm comm)
{
    const int list[] = {5, 1, 3};
    int arrived = 0, done = 0;
    MPI_Request requests[2];
    MPI_Status status;
    initialize(comm, requests);
    for (int i = 0; i < ROUNDS; i++) {
        fill(10 + i);
        DO(Start, &requests[1]);
        DO(Start, &requests[0]);
        DO(Test, &requests[0], &done, &status);
        if (done)
            MPI_Abort(MPI_COMM_WORLD, 4);
        DO(Pready_list, 3, list, requests[0]);
        DO(Pready_range, 2, 2, requests[0]);
        DO(Pready, 0, requests[0]);
        exchange_plain(comm);
        DO(Pready_range, 4, 4, requests[0]);
        for (arrived = 0; !arrived;)
            if (DO(Parrived, requests[1], i % PARTS, &arrived) == MPI_SUCCESS && !arrived)
                sched_yield();
        DO(Wait, &requests[0], i % 2 == 0 ? &status : MPI_STATUS_IGNORE);
        for (done = 0; !done;)
            if (DO(Test, &requests[1], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
                sched_yield();
        check(10 + i);
        note(1, PARTS * WORDS);
    }
    drop(requests);
}

/* Requests of the same tag one after another. (With MPI_PROC_NULL MPICH 4.0.2 crashes.) */
static void again(MPI_Comm comm)
{
    MPI_Request requests[2];
    for (int i = 0; i < AGAIN; i++) {
        initialize(comm, requests);
        fill(100 + i);
        DO(Startall, 2, requests);
        DO(Pready_range, 0, PARTS - 1, requests[0]);
        DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
        check(100 + i);
        drop(requests);
        note(1, PARTS * WORDS);
    }
}

/* Ordinary persistent ones and partitioned ones are started together. */
static void together(MPI_Comm comm)
{
    static int plain[WORDS];
    MPI_Request requests[4];
    initialize(comm, requests);
    DO(Send_init, out, WORDS, MPI_INT, to, TAG, comm, &requests[2]);
    DO(Recv_init, plain, WORDS, MPI_INT, from, TAG, comm, &requests[3]);
    for (int i = 0; i < ROUNDS; i++) {
        fill(1000 + i);
        DO(Startall, 4, requests);
        make_ready(requests[0]);
        for (int k = 0; k < 4; k++) {
            int which;
            DO(Waitany, 4, requests, &which, MPI_STATUS_IGNORE);
        }
        check(1000 + i);
        note(1, PARTS * WORDS);
        note(1, WORDS);
    }
    drop(requests);
    drop(requests + 2);
}

static int tell(void)
{
    char line[128];
    snprintf(line, sizeof(line), "sent %ld %ld received %ld %ld", messages, 4 * words, messages, 4 * words);
    return tell_counts(rank, line);
}

static int rounds(void)
{
    MPI_Comm comm;
    DO(Comm_dup, MPI_COMM_WORLD, &comm);
    by_threads(MPI_COMM_WORLD);
    by_threads(comm);
    in_groups(comm);
    again(MPI_COMM_WORLD);
    together(comm);
    DO(Comm_free, &comm);
    DO(Finalize);
    return tell();
}

/* The last one is killed before all of its partitions are ready: that was never sent. */
static int killed(void)
{
    MPI_Request requests[2];
    initialize(MPI_COMM_WORLD, requests);
    for (int i = 0; i < 2; i++) {
        DO(Startall, 2, requests);
        if (i == 1)
            DO(Pready_range, 1, PARTS - 1, requests[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i == 1 && rank == size - 1)
            raise(SIGKILL);
        if (i == 1)
            for (;;)
                MPI_Barrier(MPI_COMM_WORLD);
        DO(Pready_range, 0, PARTS - 1, requests[0]);
        DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    }
    return 0;
}

enum { CHANNELS = 3 };

/* Requests of one tag that are under way at a time meet by the order in which they were made, in whatever
 * order they are started. */
static int in_order(void)
{
    static const int sent[][CHANNELS] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}, got[][CHANNELS] = {{2, 1, 0}, {0, 1, 2}, {0, 2, 1}};
    MPI_Request requests[CHANNELS];
    FILE *told = rank == 1 ? fopen("told.1", "w") : NULL;
    int number = 0;
    for (int i = 0; i < CHANNELS; i++)
        if (rank == 0)
            MPI_Psend_init(out + i * PARTS, PARTS, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
        else
            MPI_Precv_init(in + i * PARTS, PARTS, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    for (int round = 0; round < (int)(sizeof(sent) / sizeof(sent[0])); round++) {
        for (int i = 0; i < CHANNELS; i++)
            MPI_Start(&requests[rank == 0 ? sent[(round + 1) % CHANNELS][i] : got[round][i]]);
        for (int i = 0; rank == 0 && i < CHANNELS; i++) {
            const int which = sent[round][i];
            for (int k = 0; k < PARTS; k++)
                out[which * PARTS + k] = number;
            number++;
            MPI_Pready_range(0, PARTS - 1, requests[which]);
        }
        for (int i = 0; i < CHANNELS; i++) {
            const int which = got[(round + 2) % CHANNELS][i];
            MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
            if (told != NULL)
                fprintf(told, "%d\n", in[which * PARTS]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < CHANNELS; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return told != NULL && fclose(told) != 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int provided;
    DO(Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    if (strcmp(way, "order") == 0)
        return in_order();
    return strcmp(way, "kill") == 0 ? killed() : rounds();
}
