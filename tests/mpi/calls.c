/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every function of MPI's that the tool records, as one rank of any number, and counts what it does: at
 * the end each rank writes its calls, and what it sent and received, into told.RANK. Usage: calls [ROUNDS]
 *
 * DO(NAME, arguments) is MPI_NAME(arguments), counted. What is between processes whose rank is MPI_PROC_NULL
 * is no message.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256, WORDS = 8, MOST_RANKS = 64 };

static struct {
    const char *name;
    int calls;
} counted[MOST_NAMES];
static int names;
static long sent, sent_bytes, received, received_bytes;

static void count(const char *name)
{
    int i = 0;
    while (i < names && strcmp(counted[i].name, name) != 0)
        i++;
    if (i == names)
        counted[names++].name = name;
    counted[i].calls++;
}

#define DO(name, ...) (count("MPI_" #name), MPI_##name(__VA_ARGS__))

static void send_of(long bytes)
{
    sent++;
    sent_bytes += bytes;
}

static void receipt_of(long bytes)
{
    received++;
    received_bytes += bytes;
}

struct ring {
    MPI_Comm comm;
    int rank, size, next, before;
    int out[WORDS * MOST_RANKS], in[WORDS * MOST_RANKS];
};

static struct ring ring_of(MPI_Comm comm)
{
    struct ring ring = {.comm = comm};
    MPI_Comm_rank(comm, &ring.rank);
    MPI_Comm_size(comm, &ring.size);
    ring.next = (ring.rank + 1) % ring.size;
    ring.before = (ring.rank + ring.size - 1) % ring.size;
    return ring;
}

/* Blocking: what is sent is waited for already. */
static void send_in_all_modes(struct ring *ring)
{
    MPI_Request request;
    void *buffer;
    int bytes = WORDS * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *room = malloc((size_t)bytes);
    MPI_Buffer_attach(room, bytes);
    for (int mode = 0; mode < 4; mode++) {
        int words = mode + 1;
        DO(Irecv, ring->in, WORDS, MPI_INT, ring->before, mode, ring->comm, &request);
        DO(Barrier, ring->comm);
        if (mode == 0)
            DO(Send, ring->out, words, MPI_INT, ring->next, mode, ring->comm);
        else if (mode == 1)
            DO(Bsend, ring->out, words, MPI_INT, ring->next, mode, ring->comm);
        else if (mode == 2)
            DO(Ssend, ring->out, words, MPI_INT, ring->next, mode, ring->comm);
        else
            DO(Rsend, ring->out, words, MPI_INT, ring->next, mode, ring->comm);
        send_of(4L * words);
        DO(Wait, &request, MPI_STATUS_IGNORE);
        receipt_of(4L * words);
    }
    MPI_Buffer_detach(&buffer, &bytes);
    free(room);
}

static void receive_in_all_ways(struct ring *ring)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int there = 0;
    for (int way = 0; way < 5; way++) {
        DO(Isend, ring->out, way + 1, MPI_INT, ring->next, 10 + way, ring->comm, &request);
        send_of(4L * (way + 1));
        if (way == 0) {
            DO(Recv, ring->in, WORDS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ring->comm, MPI_STATUS_IGNORE);
        } else if (way == 1) {
            DO(Probe, ring->before, 10 + way, ring->comm, &status);
            DO(Recv, ring->in, WORDS, MPI_INT, ring->before, 10 + way, ring->comm, &status);
        } else if (way == 2) {
            for (there = 0; there == 0;)
                DO(Iprobe, MPI_ANY_SOURCE, 10 + way, ring->comm, &there, MPI_STATUS_IGNORE);
            DO(Recv, ring->in, WORDS, MPI_INT, ring->before, 10 + way, ring->comm, MPI_STATUS_IGNORE);
        } else if (way == 3) {
            DO(Mprobe, ring->before, MPI_ANY_TAG, ring->comm, &message, &status);
            DO(Mrecv, ring->in, WORDS, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Request other;
            for (there = 0; there == 0;)
                DO(Improbe, ring->before, 10 + way, ring->comm, &there, &message, MPI_STATUS_IGNORE);
            DO(Imrecv, ring->in, WORDS, MPI_INT, &message, &other);
            DO(Wait, &other, &status);
        }
        receipt_of(4L * (way + 1));
        DO(Wait, &request, MPI_STATUS_IGNORE);
    }
}

static void exchange(struct ring *ring)
{
    DO(Sendrecv, ring->out, 3, MPI_INT, ring->next, 20, ring->in, WORDS, MPI_INT, ring->before, 20,
       ring->comm, MPI_STATUS_IGNORE);
    DO(Sendrecv_replace, ring->out, 5, MPI_INT, ring->next, 21, ring->before, 21, ring->comm,
       MPI_STATUS_IGNORE);
    send_of(12);
    send_of(20);
    receipt_of(12);
    receipt_of(20);
    /* No messages. */
    DO(Sendrecv, ring->out, 3, MPI_INT, MPI_PROC_NULL, 22, ring->in, WORDS, MPI_INT, MPI_PROC_NULL, 22,
       ring->comm, MPI_STATUS_IGNORE);
    DO(Send, ring->out, 1, MPI_INT, MPI_PROC_NULL, 23, ring->comm);
    DO(Recv, ring->in, 1, MPI_INT, MPI_PROC_NULL, 23, ring->comm, MPI_STATUS_IGNORE);
}

static void post(struct ring *ring, MPI_Request *requests, int pairs)
{
    for (int i = 0; i < pairs; i++) {
        DO(Irecv, ring->in + i, 1, MPI_INT, ring->before, 100 + i, ring->comm, &requests[2 * i]);
        if (i % 4 == 0)
            DO(Isend, ring->out + i, 1, MPI_INT, ring->next, 100 + i, ring->comm, &requests[2 * i + 1]);
        else if (i % 4 == 1)
            DO(Issend, ring->out + i, 1, MPI_INT, ring->next, 100 + i, ring->comm, &requests[2 * i + 1]);
        else if (i % 4 == 2)
            DO(Ibsend, ring->out + i, 1, MPI_INT, ring->next, 100 + i, ring->comm, &requests[2 * i + 1]);
        else
            DO(Isend, ring->out + i, 1, MPI_INT, ring->next, 100 + i, ring->comm, &requests[2 * i + 1]);
        send_of(4);
        receipt_of(4);
    }
}

/* Every way to complete requests, more of them than the tool has at hand. */
static void complete(struct ring *ring)
{
    enum { PAIRS = 40, REQUESTS = 2 * PAIRS };
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS];
    int indices[REQUESTS];
    int bytes = PAIRS * (WORDS * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *room = malloc((size_t)bytes);
    void *buffer;
    MPI_Buffer_attach(room, bytes);
    for (int way = 0; way < 8; way++) {
        int left = REQUESTS;
        int done = 0;
        post(ring, requests, PAIRS);
        while (left > 0) {
            int index = -1;
            if (way == 0) {
                DO(Waitall, left, requests, MPI_STATUSES_IGNORE);
                left = 0;
            } else if (way == 1) {
                DO(Waitall, left, requests, statuses);
                left = 0;
            } else if (way == 2) {
                DO(Waitany, REQUESTS, requests, &index, MPI_STATUS_IGNORE);
                left--;
            } else if (way == 3) {
                DO(Waitsome, REQUESTS, requests, &done, indices, MPI_STATUSES_IGNORE);
                left -= done;
            } else if (way == 4) {
                DO(Testall, REQUESTS, requests, &done, MPI_STATUSES_IGNORE);
                left = done != 0 ? 0 : left;
            } else if (way == 5) {
                DO(Testany, REQUESTS, requests, &index, &done, MPI_STATUS_IGNORE);
                left -= done != 0;
            } else if (way == 6) {
                DO(Testsome, REQUESTS, requests, &done, indices, statuses);
                left -= done;
            } else {
                DO(Test, &requests[REQUESTS - left], &done, MPI_STATUS_IGNORE);
                left -= done != 0;
            }
        }
    }
    MPI_Buffer_detach(&buffer, &bytes);
    free(room);
}

static void persist(struct ring *ring)
{
    MPI_Request requests[5];
    int bytes = 4 * (WORDS * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *room = malloc((size_t)bytes);
    void *buffer;
    MPI_Buffer_attach(room, bytes);
    DO(Recv_init, ring->in, WORDS, MPI_INT, ring->before, 30, ring->comm, &requests[0]);
    DO(Send_init, ring->out, 2, MPI_INT, ring->next, 30, ring->comm, &requests[1]);
    for (int i = 0; i < 3; i++) {
        if (i == 0) {
            DO(Start, &requests[0]);
            DO(Start, &requests[1]);
        } else {
            DO(Startall, 2, requests);
        }
        send_of(8);
        receipt_of(8);
        DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    }
    DO(Recv_init, ring->in + WORDS, WORDS, MPI_INT, ring->before, 31, ring->comm, &requests[2]);
    DO(Ssend_init, ring->out, 2, MPI_INT, ring->next, 31, ring->comm, &requests[3]);
    DO(Startall, 2, requests + 2);
    send_of(8);
    receipt_of(8);
    DO(Waitall, 2, requests + 2, MPI_STATUSES_IGNORE);
    DO(Bsend_init, ring->out, 1, MPI_INT, ring->next, 30, ring->comm, &requests[4]);
    DO(Start, &requests[0]);
    DO(Start, &requests[4]);
    send_of(4);
    receipt_of(4);
    DO(Wait, &requests[4], MPI_STATUS_IGNORE);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++)
        DO(Request_free, &requests[i]);
    DO(Rsend_init, ring->out, 1, MPI_INT, ring->next, 32, ring->comm, &requests[0]);
    DO(Request_free, &requests[0]);
    /* Posted, and taken back. */
    DO(Irecv, ring->in, 1, MPI_INT, ring->before, 33, ring->comm, &requests[0]);
    DO(Cancel, &requests[0]);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);
    free(room);
}

static void collect(struct ring *ring)
{
    int counts[MOST_RANKS], places[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    MPI_Comm comm = ring->comm;
    int root = ring->size - 1;
    int *out = ring->out;
    int *in = ring->in;
    int total[MOST_RANKS];
    for (int i = 0; i < ring->size; i++) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
        total[i] = 1;
    }
    DO(Bcast, out, 2, MPI_INT, root, comm);
    DO(Gather, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    DO(Gather, ring->rank == root ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    DO(Gatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
    DO(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    DO(Scatter, out, 1, MPI_INT, ring->rank == root ? MPI_IN_PLACE : in, 1, MPI_INT, root, comm);
    DO(Scatterv, out, counts, places, MPI_INT, in, 1, MPI_INT, root, comm);
    DO(Allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    DO(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
    DO(Allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
    DO(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    DO(Alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    for (int i = 0; i < ring->size; i++)
        places[i] = 4 * i;
    DO(Alltoallw, out, counts, places, types, in, counts, places, types, comm);
    DO(Allreduce, out, in, 2, MPI_INT, MPI_SUM, comm);
    DO(Allreduce, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, comm);
    DO(Reduce, out, in, 2, MPI_INT, MPI_SUM, root, comm);
    DO(Reduce_scatter, out, in, total, MPI_INT, MPI_SUM, comm);
    DO(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
    DO(Scan, out, in, 1, MPI_INT, MPI_SUM, comm);
    DO(Exscan, out, in, 1, MPI_INT, MPI_SUM, comm);
}

static void collect_later(struct ring *ring)
{
    enum { REQUESTS = 17 };
    MPI_Request requests[REQUESTS];
    int counts[MOST_RANKS], places[MOST_RANKS], far[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    static int in[REQUESTS][MOST_RANKS * 2];
    MPI_Comm comm = ring->comm;
    int *out = ring->out;
    int n = 0;
    for (int i = 0; i < ring->size; i++) {
        counts[i] = 1;
        places[i] = i;
        far[i] = 4 * i;
        types[i] = MPI_INT;
    }
    DO(Ibarrier, comm, &requests[n++]);
    DO(Ibcast, in[1], 2, MPI_INT, 0, comm, &requests[n++]);
    DO(Igather, out, 1, MPI_INT, in[2], 1, MPI_INT, 0, comm, &requests[n++]);
    DO(Igatherv, out, 1, MPI_INT, in[3], counts, places, MPI_INT, 0, comm, &requests[n++]);
    DO(Iscatter, out, 1, MPI_INT, in[4], 1, MPI_INT, 0, comm, &requests[n++]);
    DO(Iscatterv, out, counts, places, MPI_INT, in[5], 1, MPI_INT, 0, comm, &requests[n++]);
    DO(Iallgather, out, 1, MPI_INT, in[6], 1, MPI_INT, comm, &requests[n++]);
    DO(Iallgatherv, out, 1, MPI_INT, in[7], counts, places, MPI_INT, comm, &requests[n++]);
    DO(Ialltoall, out, 1, MPI_INT, in[8], 1, MPI_INT, comm, &requests[n++]);
    DO(Ialltoallv, out, counts, places, MPI_INT, in[9], counts, places, MPI_INT, comm, &requests[n++]);
    DO(Ialltoallw, out, counts, far, types, in[10], counts, far, types, comm, &requests[n++]);
    DO(Iallreduce, out, in[11], 1, MPI_INT, MPI_SUM, comm, &requests[n++]);
    DO(Ireduce, out, in[12], 1, MPI_INT, MPI_SUM, 0, comm, &requests[n++]);
    DO(Ireduce_scatter, out, in[13], counts, MPI_INT, MPI_SUM, comm, &requests[n++]);
    DO(Ireduce_scatter_block, out, in[14], 1, MPI_INT, MPI_SUM, comm, &requests[n++]);
    DO(Iscan, out, in[15], 1, MPI_INT, MPI_SUM, comm, &requests[n++]);
    DO(Iexscan, out, in[16], 1, MPI_INT, MPI_SUM, comm, &requests[n++]);
    DO(Waitall, n, requests, MPI_STATUSES_IGNORE);
}

/* Among neighbours of a grid, blocking and not. */
static void neighbours(MPI_Comm grid)
{
    int out[4] = {1, 2, 3, 4}, in[4], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Aint far[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Request requests[5];
    DO(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, grid);
    DO(Neighbor_allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, grid);
    DO(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, grid);
    DO(Neighbor_alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
    DO(Neighbor_alltoallw, out, counts, far, types, in, counts, far, types, grid);
    DO(Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, grid, &requests[0]);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    DO(Ineighbor_allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, grid, &requests[1]);
    DO(Wait, &requests[1], MPI_STATUS_IGNORE);
    DO(Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, grid, &requests[2]);
    DO(Wait, &requests[2], MPI_STATUS_IGNORE);
    DO(Ineighbor_alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid, &requests[3]);
    DO(Wait, &requests[3], MPI_STATUS_IGNORE);
    DO(Ineighbor_alltoallw, out, counts, far, types, in, counts, far, types, grid, &requests[4]);
    DO(Wait, &requests[4], MPI_STATUS_IGNORE);
}

/* A message round the communicator, and a barrier on it; then it goes. */
static void use(MPI_Comm *comm)
{
    if (*comm == MPI_COMM_NULL)
        return;
    struct ring ring = ring_of(*comm);
    DO(Sendrecv, ring.out, 1, MPI_INT, ring.next, 40, ring.in, 1, MPI_INT, ring.before, 40, *comm,
       MPI_STATUS_IGNORE);
    send_of(4);
    receipt_of(4);
    DO(Barrier, *comm);
    DO(Comm_free, comm);
}

static void divide(MPI_Comm all)
{
    MPI_Comm made, other, local;
    MPI_Request requests[2];
    MPI_Group group, part;
    int rank, size;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    DO(Comm_dup, all, &made);
    use(&made);
    DO(Comm_dup_with_info, all, MPI_INFO_NULL, &made);
    use(&made);
    /* Two at a time, completed in the other order on every second rank. */
    DO(Comm_idup, all, &made, &requests[0]);
    DO(Comm_idup, all, &other, &requests[1]);
    DO(Wait, &requests[rank % 2], MPI_STATUS_IGNORE);
    DO(Wait, &requests[1 - rank % 2], MPI_STATUS_IGNORE);
    use(&made);
    use(&other);
    DO(Comm_split, all, rank % 2, -rank, &made);
    use(&made);
    DO(Comm_split, all, rank == 0 ? MPI_UNDEFINED : 0, rank, &made);
    use(&made);
    DO(Comm_split_type, all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
    use(&made);
    MPI_Comm_group(all, &group);
    int first[][3] = {{0, size - 1, 2}};
    MPI_Group_range_incl(group, 1, first, &part);
    DO(Comm_create, all, part, &made);
    use(&made);
    /* Only the members call it: whoever is not among them is busy. */
    if (rank % 2 == 0) {
        DO(Comm_create_group, all, part, 7, &made);
        use(&made);
        DO(Comm_create_group, all, part, 8, &made);
        use(&made);
    }
    MPI_Group_free(&part);
    MPI_Group_free(&group);
    int dims[1] = {size}, periods[1] = {1}, remain[1] = {1};
    DO(Cart_create, all, 1, dims, periods, 0, &made);
    neighbours(made);
    DO(Cart_sub, made, remain, &other);
    use(&other);
    use(&made);
    int index[MOST_RANKS], edges[2 * MOST_RANKS];
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    DO(Graph_create, all, size, index, edges, 0, &made);
    use(&made);
    int degree = 1, to = (rank + 1) % size, from = (rank + size - 1) % size;
    DO(Dist_graph_create, all, 1, &rank, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
    use(&made);
    DO(Dist_graph_create_adjacent, all, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
       &made);
    use(&made);
    if (size > 1) {
        DO(Comm_split, all, rank % 2, rank, &local);
        DO(Intercomm_create, local, 0, all, 1 - rank % 2, 9, &other);
        DO(Barrier, other);
        DO(Intercomm_merge, other, rank % 2, &made);
        use(&made);
        DO(Comm_disconnect, &other);
        use(&local);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    int provided;
    count("MPI_Init_thread");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    struct ring ring = ring_of(MPI_COMM_WORLD);
    struct ring self = ring_of(MPI_COMM_SELF);
    for (int i = 0; i < rounds; i++) {
        send_in_all_modes(&ring);
        receive_in_all_ways(&ring);
        exchange(&ring);
        exchange(&self);
        complete(&ring);
        persist(&ring);
        collect(&ring);
        collect_later(&ring);
        divide(MPI_COMM_WORLD);
        MPI_Comm alone;
        DO(Comm_dup, MPI_COMM_SELF, &alone);
        use(&alone);
    }
    count("MPI_Finalize");
    MPI_Finalize();
    char line[8192];
    int used = snprintf(line, sizeof(line), "rank %d: sent %ld %ld received %ld %ld", ring.rank, sent,
                        sent_bytes, received, received_bytes);
    for (int i = 0; i < names; i++)
        used +=
            snprintf(line + used, sizeof(line) - (size_t)used, " %s %d", counted[i].name, counted[i].calls);
    /* Launchers mix up long lines of several ranks. */
    char name[32];
    snprintf(name, sizeof(name), "told.%d", ring.rank);
    FILE *file = fopen(name, "w");
    return file != NULL && fputs(line, file) >= 0 && fclose(file) == 0 ? 0 : 1;
}
