/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hangs in MPI in the way that its argument names, on four ranks, until somebody ends it; "healthy" goes on
 * for ever. Rank 0 says "hung" when all ranks are about to. The comment behind a call names the way in which
 * a rank is in it at the end. Run by hangs.py. Usage: hangs WAY [SECONDS], of which who ends at once waits a
 * third for the others.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20, TAG = 4 };

static int rank, size;
static int sent[LARGE], received[LARGE];
static const char *way;
static unsigned late_us;
static MPI_Status status;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void receive(int source, int tag)
{
    MPI_Recv(received, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status); /* HERE */
}

static void messages(void)
{
    const int other = 1 - rank;
    if (is("message") && rank == 2)
        receive(0, 99);
    if (is("tags") && rank == 0)
        MPI_Send(sent, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (is("tags") && rank == 1)
        receive(0, 8);
    if (is("any") && rank == 1)
        receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (is("circle"))
        MPI_Recv(received, 1, MPI_INT, (rank + size - 1) % size, TAG, MPI_COMM_WORLD, &status); /* circle */
    if (is("large") && rank < 2) {
        MPI_Send(sent, LARGE, MPI_INT, other, TAG, MPI_COMM_WORLD); /* large */
        MPI_Recv(received, LARGE, MPI_INT, other, TAG, MPI_COMM_WORLD, &status);
    }
    if (is("both") && rank == 0)
        MPI_Sendrecv(sent, 1, MPI_INT, 1, 1, received, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &status); /* both */
    if (is("probe") && rank == 1)
        MPI_Probe(2, 17, MPI_COMM_WORLD, &status); /* probe */
}

/* What ranks 0 and 1 send comes, and nothing from rank 2. */
static void requests(void)
{
    MPI_Request list[3];
    int done = 0;
    int number;
    int indices[1];
    if (is("requests") && rank < 2)
        MPI_Send(sent, 1, MPI_INT, 3, TAG, MPI_COMM_WORLD);
    if (is("requests") && rank == 3) {
        for (int source = 0; source < 3; source++)
            MPI_Irecv(&received[source], 1, MPI_INT, source, TAG, MPI_COMM_WORLD, &list[source]);
        MPI_Waitall(3, list, MPI_STATUSES_IGNORE); /* requests */
    }
    if (is("asking") && rank == 1) {
        MPI_Irecv(received, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &list[0]);
        while (!done)
            MPI_Test(&list[0], &done, &status); /* asking */
    }
    if (is("probing") && rank == 1)
        while (!done)
            MPI_Iprobe(2, TAG, MPI_COMM_WORLD, &done, &status); /* probing */
    if (is("testany") && rank == 1) {
        for (int tag = 0; tag < 2; tag++)
            MPI_Irecv(&received[tag], 1, MPI_INT, 3, tag, MPI_COMM_WORLD, &list[tag]);
        while (!done)
            MPI_Testany(2, list, &number, &done, &status); /* testany */
    }
    if (is("testall") && rank == 0)
        MPI_Send(sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (is("testall") && rank == 1) {
        for (int tag = 0; tag < 2; tag++)
            MPI_Irecv(&received[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &list[tag]);
        while (!done)
            MPI_Testall(2, list, &done, MPI_STATUSES_IGNORE); /* testall */
    }
    if (is("testsome") && rank == 0) {
        MPI_Recv(received, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &status);
        MPI_Send(sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    /* The first message comes after a test in vain, and is waited for. The second test is at the same place.
     */
    for (int tag = 0; is("testsome") && rank == 1 && tag < size; tag++) {
        MPI_Irecv(received, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &list[0]);
        do
            MPI_Testsome(1, list, &done, indices, MPI_STATUSES_IGNORE); /* testsome */
        while (tag > 0 && done == 0);
        MPI_Send(sent, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        MPI_Waitany(1, list, &number, &status);
    }
}

static void collectives(void)
{
    MPI_Comm part;
    MPI_Request request;
    if (is("order") && rank == 0)
        MPI_Bcast(sent, 1, MPI_INT, 1, MPI_COMM_WORLD); /* order */
    if (is("root") && rank == 1)
        receive(0, TAG);
    else if (is("root"))
        MPI_Bcast(sent, 1, MPI_INT, 1, MPI_COMM_WORLD); /* root */
    if (is("later") && rank == 1) {
        receive(0, TAG);
    } else if (is("later")) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status); /* later */
    }
    if (is("part")) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &part);
        if (rank == 2)
            MPI_Recv(received, 1, MPI_INT, 1, TAG, part, &status); /* part */
        MPI_Barrier(part);                                         /* part */
    }
}

static void windows(void)
{
    const int other = 1 - rank;
    MPI_Win window;
    MPI_Group all, group;
    if (!is("fence") && !is("lock") && !is("epoch"))
        return;
    MPI_Win_create(received, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (is("fence") && rank == 1)
        MPI_Barrier(MPI_COMM_WORLD); /* fence */
    if (is("fence"))
        MPI_Win_fence(0, window); /* fence */
    if (is("lock") && rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(sent, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("lock") && rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); /* lock */
        MPI_Put(sent, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window); /* lock */
    }
    if (is("epoch") && rank == 0) {
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_incl(all, 1, &other, &group);
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window); /* epoch */
    }
}

static void others(void)
{
    volatile int never = 0;
    if (is("crash") && rank == 1) {
        usleep(late_us);
        *(volatile int *)(8 + never) = 1;
    }
    if (is("exit") && rank == 1) {
        usleep(late_us);
        _exit(3);
    }
    while (is("endless") && rank == 1 && never == 0)
        ;
    if (is("asleep") && rank == 1)
        pause();
}

/* Who is late changes, for up to a tenth of a second. */
static void be_healthy(void)
{
    for (int round = 0;; round++) {
        usleep(rank == round % size ? 100000 : 1000);
        MPI_Allreduce(sent, received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Ssend(sent, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        for (int other = 1; rank == 0 && other < size; other++)
            MPI_Recv(received, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
    }
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    late_us = (unsigned)(argc > 2 ? atof(argv[2]) * 1e6 / 3 : 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++)
        MPI_Allreduce(sent, received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        puts("hung");
        fflush(stdout);
    }
    if (is("healthy"))
        be_healthy();
    messages();
    requests();
    collectives();
    windows();
    others();
    MPI_Barrier(MPI_COMM_WORLD); /* HERE */
    MPI_Finalize();
    return 0;
}
