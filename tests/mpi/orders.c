/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of one tag and one size that are received in another order than they were sent, in every way in
 * which MPI lets that happen. Rank 0 sends numbers; rank 1 sees that each receive gets the number that MPI's
 * rule gives it, and writes the numbers into told.1 in the order in which their receives were complete.
 */
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 6, TAG = 7 };

static FILE *told;
static int numbers[COUNT];
static MPI_Request requests[COUNT];

static void complete(int which, int first)
{
    if (numbers[which] != first + which)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fprintf(told, "%d\n", numbers[which]);
}

static void post(int wild)
{
    for (int i = 0; i < COUNT; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, wild && i % 2 ? MPI_ANY_SOURCE : 0, wild && i % 3 ? MPI_ANY_TAG : TAG,
                  MPI_COMM_WORLD, &requests[i]);
}

static void wait_backwards(int first)
{
    for (int i = COUNT; i-- > 0;) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        complete(i, first);
    }
}

static void backwards(int first)
{
    post(0);
    wait_backwards(first);
}

static void wild(int first)
{
    post(1);
    wait_backwards(first);
}

/* Those of odd places first, then the others, whichever MPI takes. */
static void any(int first)
{
    post(0);
    for (int part = 1; part >= 0; part--) {
        MPI_Request some[COUNT / 2];
        int index;
        for (int i = 0; i < COUNT / 2; i++)
            some[i] = requests[2 * i + part];
        for (int i = 0; i < COUNT / 2; i++) {
            MPI_Waitany(COUNT / 2, some, &index, MPI_STATUS_IGNORE);
            complete(2 * index + part, first);
        }
    }
}

static void some(int first)
{
    MPI_Request turned[COUNT];
    int left = COUNT;
    post(0);
    for (int i = 0; i < COUNT; i++)
        turned[i] = requests[COUNT - 1 - i];
    while (left > 0) {
        int done, indices[COUNT];
        MPI_Testsome(COUNT, turned, &done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; i++)
            complete(COUNT - 1 - indices[i], first);
        left -= done > 0 ? done : 0;
    }
}

static void persistent(int first)
{
    for (int i = 0; i < COUNT; i++)
        MPI_Recv_init(&numbers[i], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Start(&requests[0]);
    MPI_Startall(COUNT - 1, &requests[1]);
    wait_backwards(first);
    for (int i = 0; i < COUNT; i++)
        MPI_Request_free(&requests[i]);
}

/* Each second one is received by a call that blocks while all before it are open. */
static void mixed(int first)
{
    for (int i = 0; i < COUNT; i++) {
        if (i % 2 == 0) {
            MPI_Irecv(&numbers[i], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &requests[i]);
            continue;
        }
        MPI_Recv(&numbers[i], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        complete(i, first);
    }
    for (int i = 0; i < COUNT; i += 2) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        complete(i, first);
    }
}

/* What a probe found is not for those that are posted after it; and one that nothing comes for is open all
 * the time. */
static void probed(int first)
{
    MPI_Message message;
    MPI_Request never;
    int nothing;
    MPI_Irecv(&nothing, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, &never);
    MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    for (int i = 1; i < COUNT; i++)
        MPI_Irecv(&numbers[i], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    complete(2, first);
    MPI_Mrecv(&numbers[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    complete(0, first);
    for (int i = COUNT; i-- > 1;) {
        if (i == 2)
            continue;
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        complete(i, first);
    }
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static void (*const ways[])(int) = {backwards, wild, any, some, persistent, mixed, probed};
    const int count = sizeof(ways) / sizeof(ways[0]);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && (told = fopen("told.1", "w")) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int way = 0; way < count; way++) {
        const int first = way * COUNT;
        if (rank == 1)
            ways[way](first);
        for (int i = 0; rank == 0 && i < COUNT; i++) {
            int number = first + i;
            MPI_Send(&number, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return rank == 1 && fclose(told) != 0;
}
