/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every function of MPI's that the tool records, as one rank of any number, and counts what it does: at
 * the end each rank writes its calls, and what it sent and received, into told.RANK. Usage: calls [ROUNDS]
 *
 * What is between processes whose rank is MPI_PROC_NULL is no message.
 */
#include "count.h"

#include <sched.h>
#include <stdlib.h>

enum { WORDS = 8, MAX_RANKS = 64 };

static long sent, sent_bytes, received, received_bytes;

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
    int out[WORDS * MAX_RANKS], in[WORDS * MAX_RANKS];
};

static struct ring ring_of(MPI_Comm comm)
{
    struct ring ring = {.comm = comm};
    DO(Comm_rank, comm, &ring.rank);
    DO(Comm_size, comm, &ring.size);
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
    DO(Buffer_attach, room, bytes);
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
    DO(Buffer_detach, &buffer, &bytes);
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
            for (there = 0; there == 0;)
                DO(Request_get_status, other, &there, MPI_STATUS_IGNORE);
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
    MPI_Request requests[2];
    DO(Irecv, ring->in, 1, MPI_INT, ring->before, 24, ring->comm, &requests[0]);
    DO(Barrier, ring->comm);
    DO(Irsend, ring->out, 1, MPI_INT, ring->next, 24, ring->comm, &requests[1]);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    send_of(4);
    receipt_of(4);
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
    DO(Buffer_attach, room, bytes);
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
            if (done == 0)
                sched_yield();
        }
    }
    DO(Buffer_detach, &buffer, &bytes);
    free(room);
}

static void persist(struct ring *ring)
{
    MPI_Request requests[5];
    int bytes = 4 * (WORDS * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *room = malloc((size_t)bytes);
    void *buffer;
    DO(Buffer_attach, room, bytes);
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
    DO(Buffer_detach, &buffer, &bytes);
    free(room);
}

/* Counts are numbers or, as of MPI 4, larger ones; a barrier has none. */
#define COUNT int
#define PLACE int
#define LARGE(name) name
#define NAME(word) word
#include "collective.h"
#if MPI_VERSION >= 4
#undef COUNT
#undef PLACE
#undef LARGE
#undef NAME
#define COUNT MPI_Count
#define PLACE MPI_Aint
#define LARGE(name) name##_c
#define NAME(word) word##_large
#define Barrier_c Barrier
#define Ibarrier_c Ibarrier
#define Barrier_init_c Barrier_init
#include "collective.h"
#endif

static void collect_all(struct ring *ring, MPI_Comm grid)
{
    collect(ring, grid, 0);
    collect(ring, grid, 1);
#if MPI_VERSION >= 4
    collect(ring, grid, 2);
    /* MPICH's ranks take turns on few processors. */
    for (int way = 0; way < 3 && ring->size <= 2; way++)
        collect_large(ring, grid, way);
#endif
}

#if MPI_VERSION >= 4
/* Messages with large counts, and what MPI 4 has of other requests. */
static void exchange_large(struct ring *ring)
{
    enum { MODES = 4 };
    MPI_Request requests[2 * MODES];
    MPI_Message message;
    MPI_Comm comm = ring->comm;
    int *out = ring->out, *in = ring->in, next = ring->next, before = ring->before;
    int bytes = 4 * (WORDS * (int)sizeof(int) + MPI_BSEND_OVERHEAD), index, there = 0;
    void *room = malloc((size_t)bytes);
    void *buffer;
    DO(Buffer_attach, room, bytes);
    for (int mode = 0; mode < MODES; mode++)
        DO(Irecv_c, in + mode, 1, MPI_INT, before, 50 + mode, comm, &requests[mode]);
    DO(Barrier, comm);
    DO(Send_c, out, 1, MPI_INT, next, 50, comm);
    DO(Bsend_c, out, 1, MPI_INT, next, 51, comm);
    DO(Ssend_c, out, 1, MPI_INT, next, 52, comm);
    DO(Rsend_c, out, 1, MPI_INT, next, 53, comm);
    DO(Waitall, MODES, requests, MPI_STATUSES_IGNORE);
    for (int mode = 0; mode < MODES; mode++)
        DO(Recv_init_c, in + mode, 1, MPI_INT, before, 54 + mode, comm, &requests[mode]);
    DO(Send_init_c, out, 1, MPI_INT, next, 54, comm, &requests[4]);
    DO(Bsend_init_c, out, 1, MPI_INT, next, 55, comm, &requests[5]);
    DO(Ssend_init_c, out, 1, MPI_INT, next, 56, comm, &requests[6]);
    DO(Rsend_init_c, out, 1, MPI_INT, next, 57, comm, &requests[7]);
    DO(Startall, MODES, requests);
    DO(Barrier, comm);
    DO(Startall, MODES, requests + MODES);
    DO(Waitall, 2 * MODES, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 * MODES; i++)
        DO(Request_free, &requests[i]);
    for (int mode = 0; mode < MODES; mode++)
        DO(Irecv_c, in + mode, 1, MPI_INT, before, 58 + mode, comm, &requests[mode]);
    DO(Barrier, comm);
    DO(Isend_c, out, 1, MPI_INT, next, 58, comm, &requests[4]);
    DO(Ibsend_c, out, 1, MPI_INT, next, 59, comm, &requests[5]);
    DO(Issend_c, out, 1, MPI_INT, next, 60, comm, &requests[6]);
    DO(Irsend_c, out, 1, MPI_INT, next, 61, comm, &requests[7]);
    DO(Waitall, 2 * MODES, requests, MPI_STATUSES_IGNORE);
    DO(Sendrecv_c, out, 1, MPI_INT, next, 63, in, 1, MPI_INT, before, 63, comm, MPI_STATUS_IGNORE);
    DO(Sendrecv_replace_c, out, 1, MPI_INT, next, 64, before, 64, comm, MPI_STATUS_IGNORE);
    DO(Isendrecv, out, 1, MPI_INT, next, 65, in, 1, MPI_INT, before, 65, comm, &requests[0]);
    DO(Isendrecv_c, out, 1, MPI_INT, next, 66, in + 1, 1, MPI_INT, before, 66, comm, &requests[1]);
    DO(Isendrecv_replace, out + 1, 1, MPI_INT, next, 67, before, 67, comm, &requests[2]);
    DO(Isendrecv_replace_c, out + 2, 1, MPI_INT, next, 68, before, 68, comm, &requests[3]);
    DO(Waitall, 3, requests, MPI_STATUSES_IGNORE);
    DO(Waitany, 1, requests + 3, &index, MPI_STATUS_IGNORE);
    DO(Isendrecv, out, 1, MPI_INT, next, 69, in, 1, MPI_INT, MPI_PROC_NULL, 69, comm, &requests[0]);
    DO(Recv_c, in, 1, MPI_INT, before, 69, comm, MPI_STATUS_IGNORE);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    DO(Isend, out, 1, MPI_INT, next, 70, comm, &requests[0]);
    DO(Mprobe, before, 70, comm, &message, MPI_STATUS_IGNORE);
    DO(Mrecv_c, in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    DO(Isend, out, 1, MPI_INT, next, 71, comm, &requests[1]);
    DO(Mprobe, before, 71, comm, &message, MPI_STATUS_IGNORE);
    DO(Imrecv_c, in, 1, MPI_INT, &message, &requests[2]);
    DO(Waitall, 3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 21; i++) {
        send_of(4);
        receipt_of(4);
    }
    DO(Buffer_detach, &buffer, &bytes);
    free(room);
}

/* One message in parts. */
static void exchange_parts(struct ring *ring)
{
    enum { PARTS = 4 };
    MPI_Request requests[2];
    int parts[] = {0, 1}, there = 0;
    DO(Psend_init, ring->out, PARTS, 1, MPI_INT, ring->next, 80, ring->comm, MPI_INFO_NULL, &requests[0]);
    DO(Precv_init, ring->in, PARTS, 1, MPI_INT, ring->before, 80, ring->comm, MPI_INFO_NULL, &requests[1]);
    DO(Startall, 2, requests);
    DO(Pready_list, 2, parts, requests[0]);
    DO(Pready, 2, requests[0]);
    DO(Pready_range, 3, 3, requests[0]);
    DO(Parrived, requests[1], 0, &there);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    send_of(4 * PARTS);
    receipt_of(4 * PARTS);
    DO(Request_free, &requests[0]);
    DO(Request_free, &requests[1]);
}
#endif

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

/* Messages to who has the same rank on the other side. */
static void talk_across(MPI_Comm comm)
{
    int rank, others, out[2] = {0, 0}, in[2];
    MPI_Request requests[2];
    DO(Comm_rank, comm, &rank);
    DO(Comm_remote_size, comm, &others);
    DO(Barrier, comm);
    if (rank >= others)
        return;
    DO(Sendrecv, out, 1, MPI_INT, rank, 90, in, 1, MPI_INT, rank, 90, comm, MPI_STATUS_IGNORE);
    DO(Irecv, in, 2, MPI_INT, MPI_ANY_SOURCE, 91, comm, &requests[0]);
    DO(Isend, out, 2, MPI_INT, rank, 91, comm, &requests[1]);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    send_of(4);
    send_of(8);
    receipt_of(4);
    receipt_of(8);
}

static void divide(MPI_Comm all)
{
    MPI_Comm made, other, local;
    MPI_Request requests[2];
    MPI_Group group, part;
    int rank, size;
    DO(Comm_rank, all, &rank);
    DO(Comm_size, all, &size);
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
#if MPI_VERSION >= 4
    DO(Comm_idup_with_info, all, MPI_INFO_NULL, &made, &requests[0]);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    use(&made);
#endif
    DO(Comm_split, all, rank % 2, -rank, &made);
    use(&made);
    DO(Comm_split, all, rank == 0 ? MPI_UNDEFINED : 0, rank, &made);
    use(&made);
    DO(Comm_split_type, all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
    use(&made);
    DO(Comm_group, all, &group);
    int first[][3] = {{0, size - 1, 2}};
    DO(Group_range_incl, group, 1, first, &part);
    DO(Comm_create, all, part, &made);
    use(&made);
    /* Only the members call it: whoever is not among them is busy. */
    if (rank % 2 == 0) {
        DO(Comm_create_group, all, part, 7, &made);
        use(&made);
        DO(Comm_create_group, all, part, 8, &made);
        use(&made);
    }
    DO(Group_free, &part);
    DO(Group_free, &group);
    int dims[1] = {size}, periods[1] = {1}, remain[1] = {1};
    DO(Cart_create, all, 1, dims, periods, 0, &made);
    struct ring ring = ring_of(all);
    collect_all(&ring, made);
    DO(Cart_sub, made, remain, &other);
    use(&other);
    use(&made);
    int index[MAX_RANKS], edges[2 * MAX_RANKS];
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
        talk_across(other);
        DO(Comm_dup, other, &made);
        talk_across(made);
        DO(Comm_free, &made);
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
#if MPI_VERSION >= 4
        exchange_large(&ring);
        exchange_parts(&ring);
#endif
        divide(MPI_COMM_WORLD);
        MPI_Comm alone;
        DO(Comm_dup, MPI_COMM_SELF, &alone);
        use(&alone);
    }
    count("MPI_Finalize");
    MPI_Finalize();
    char line[256];
    snprintf(line, sizeof(line), "sent %ld %ld received %ld %ld", sent, sent_bytes, received, received_bytes);
    return tell_counts(ring.rank, line);
}
