/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses MPI by sessions, as MPI 4 has it, alone or beside MPI_Init; writes what it did into told.RANK.
 * Usage: sessions WAY, one of the list at the end.
 */
#include "count.h"

#include <signal.h>
#include <stdlib.h>

enum { WORDS = 8 };

static int rank, size;
static long messages, bytes, windows, puts_done, gets_done, locks, groups, files, writes;

static void note_messages(int count, int words)
{
    messages += count;
    bytes += 4L * count * words;
}

/* Messages of all kinds in a ring. */
static void send_around(MPI_Comm comm, int next, int before)
{
    MPI_Request requests[2];
    int out[WORDS] = {0}, in[WORDS];
    DO(Sendrecv, out, 1, MPI_INT, next, 1, in, 1, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE);
    note_messages(1, 1);
    DO(Irecv, in, WORDS, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[0]);
    DO(Isend, out, 2, MPI_INT, next, 2, comm, &requests[1]);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    note_messages(1, 2);
    DO(Send_init, out, 3, MPI_INT, next, 3, comm, &requests[0]);
    DO(Recv_init, in, WORDS, MPI_INT, before, 3, comm, &requests[1]);
    for (int i = 0; i < 2; i++) {
        DO(Startall, 2, requests);
        DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
        note_messages(1, 3);
    }
    DO(Request_free, &requests[0]);
    DO(Request_free, &requests[1]);
}

static void exchange(MPI_Comm comm)
{
    MPI_Request request;
    int own, all, out[WORDS] = {0}, in[WORDS];
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &all);
    /* Without MPI_Init MPICH 4.0.2 crashes where a process sends to itself. */
    if (all > 1 || comm == MPI_COMM_SELF)
        send_around(comm, (own + 1) % all, (own + all - 1) % all);
    DO(Allreduce, out, in, 1, MPI_INT, MPI_SUM, comm);
    DO(Bcast, out, WORDS, MPI_INT, all - 1, comm);
    DO(Ibarrier, comm, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE);
}

static void access_window(MPI_Comm comm)
{
    MPI_Win window;
    MPI_Group members, next, before;
    int *memory, value = 1, got = 0, to = (rank + 1) % size, from = (rank + size - 1) % size;
    DO(Win_allocate, WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    DO(Win_fence, 0, window);
    DO(Put, &value, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    DO(Win_fence, 0, window);
    DO(Win_lock, MPI_LOCK_SHARED, to, 0, window);
    DO(Get, &got, 1, MPI_INT, to, 0, 1, MPI_INT, window);
    DO(Win_unlock, to, window);
    MPI_Win_get_group(window, &members);
    MPI_Group_incl(members, 1, &to, &next);
    MPI_Group_incl(members, 1, &from, &before);
    DO(Win_post, before, 0, window);
    DO(Win_start, next, 0, window);
    DO(Put, &value, 1, MPI_INT, to, 1, 1, MPI_INT, window);
    DO(Win_complete, window);
    DO(Win_wait, window);
    MPI_Group_free(&members);
    MPI_Group_free(&next);
    MPI_Group_free(&before);
    DO(Win_free, &window);
    windows++;
    puts_done += 2;
    gets_done++;
    locks++;
    groups += 4; /* both epochs' begins and ends */
}

static void access_file(MPI_Comm comm)
{
    MPI_File file;
    int value = rank;
    DO(File_open, comm, "of.sessions", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    DO(File_write_at_all, file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    DO(File_close, &file);
    files++;
    writes++;
}

static MPI_Session open_session(void)
{
    MPI_Session session;
    DO(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    return session;
}

static MPI_Group group_of(MPI_Session session, const char *set)
{
    MPI_Group group;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    return group;
}

static MPI_Comm comm_of(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group = group_of(session, set);
    MPI_Comm comm;
    DO(Comm_create_from_group, group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void drop(MPI_Comm comm)
{
    DO(Comm_free, &comm);
}

/* One of those with a rank as odd as one's own, in the reverse order. */
static MPI_Comm half_of(MPI_Session session)
{
    MPI_Group all = group_of(session, "mpi://WORLD"), half;
    MPI_Comm comm;
    int ranges[1][3] = {{size - 1 - (size - 1 - rank) % 2, rank % 2, -2}};
    MPI_Group_range_incl(all, 1, ranges, &half);
    DO(Comm_create_from_group, half, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&half);
    MPI_Group_free(&all);
    return comm;
}

/* What is made of communicators. */
static void derive(MPI_Comm all, MPI_Comm half)
{
    MPI_Comm comm;
    MPI_Request request;
    DO(Comm_dup, all, &comm);
    exchange(comm);
    drop(comm);
    if (size > 1) { /* as for messages to itself */
        DO(Comm_idup, all, &comm, &request);
        DO(Wait, &request, MPI_STATUS_IGNORE);
        exchange(comm);
        drop(comm);
    }
    DO(Comm_split, all, rank % 2, -rank, &comm);
    exchange(comm);
    drop(comm);
    if (size > 1) {
        MPI_Comm merged;
        int one = 1, sum;
        DO(Intercomm_create, half, 0, all, size - 1 - (size + rank) % 2, 5, &comm);
        DO(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, comm);
        DO(Intercomm_merge, comm, rank % 2, &merged);
        exchange(merged);
        drop(merged);
        drop(comm);
    }
}

/* Several sessions; there is always one. */
static void alone(void)
{
    MPI_Session first = open_session(), second, third;
    MPI_Comm all = comm_of(first, "mpi://WORLD", "all"), own, other, half;
    exchange(all);
    own = comm_of(first, "mpi://SELF", "own");
    group_of(first, "mpi://WORLD");
    exchange(own);
    other = comm_of(first, "mpi://WORLD", "all"); /* the same once more */
    exchange(other);
    half = half_of(first);
    exchange(half);
    derive(all, half);
    access_window(all);
    drop(other);
    second = open_session();
    other = comm_of(second, "mpi://WORLD", "all");
    exchange(other);
    exchange(all);
    drop(other);
    DO(Session_finalize, &second);
    third = open_session();
    other = comm_of(third, "mpi://WORLD", "third");
    drop(all);
    drop(own);
    drop(half);
    DO(Session_finalize, &first);
    exchange(other);
    all = comm_of(third, "mpi://WORLD", "all");
    exchange(all);
    drop(all);
    drop(other);
    DO(Session_finalize, &third);
}

/* Comes before MPI_Init and ends before MPI_Finalize. */
static void before(void)
{
    MPI_Session session = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "all");
    exchange(comm);
    DO(Init, NULL, NULL);
    exchange(MPI_COMM_WORLD);
    exchange(MPI_COMM_SELF);
    exchange(comm);
    drop(comm);
    DO(Session_finalize, &session);
    exchange(MPI_COMM_WORLD);
    DO(Finalize);
}

/* Comes after MPI_Init, and goes on after MPI_Finalize; two groups of it become a communicator with two. */
static void after(void)
{
    MPI_Session session;
    MPI_Comm comm, other;
    DO(Init, NULL, NULL);
    session = open_session();
    comm = comm_of(session, "mpi://WORLD", "all");
    if (size > 1) {
        MPI_Group all = group_of(session, "mpi://WORLD"), sides[2];
        int first[1][3] = {{0, 0, 1}}, others[1][3] = {{1, size - 1, 1}}, one = 1, sum;
        MPI_Group_range_incl(all, 1, first, &sides[0]);
        MPI_Group_range_incl(all, 1, others, &sides[1]);
        DO(Intercomm_create_from_groups, sides[rank > 0], 0, sides[rank == 0], 0, "sides", MPI_INFO_NULL,
           MPI_ERRORS_ARE_FATAL, &other);
        DO(Allreduce, &one, &sum, 1, MPI_INT, MPI_SUM, other);
        drop(other);
        MPI_Group_free(&sides[0]);
        MPI_Group_free(&sides[1]);
        MPI_Group_free(&all);
    }
    exchange(MPI_COMM_WORLD);
    exchange(comm);
    access_file(comm); /* Without MPI_Init MPICH 4.0.2 opens none. */
    DO(Finalize);
    exchange(comm);
    access_window(comm);
    other = comm_of(session, "mpi://WORLD", "later");
    exchange(other);
    drop(other);
    drop(comm);
    DO(Session_finalize, &session);
}

/* The communicator outlives its session, and so do groups. */
static void live(void)
{
    MPI_Session session = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "all");
    group_of(session, "mpi://WORLD");
    exchange(comm);
    DO(Barrier, comm);
    DO(Session_finalize, &session);
}

/* Nobody finalises anything. */
static void leave(void)
{
    MPI_Session session = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "all");
    exchange(comm);
    DO(Barrier, comm);
}

static int tell(void)
{
    char line[512];
    snprintf(line, sizeof(line),
             "sent %ld %ld received %ld %ld windows %ld puts %ld %ld gets %ld %ld atomics 0 0 0 locks %ld groups %ld "
             "files %ld seeks 0 deleted 0 reads 0 0 writes %ld %ld",
             messages, bytes, messages, bytes, windows, puts_done, 4 * puts_done, gets_done, 4 * gets_done, locks,
             groups, files, writes, 4 * writes);
    return tell_counts(rank, line);
}

static void killed(void)
{
    MPI_Session session = open_session();
    MPI_Comm comm = comm_of(session, "mpi://WORLD", "all");
    exchange(comm);
    DO(Barrier, comm);
    tell();
    DO(Barrier, comm);
    if (rank == size - 1)
        raise(SIGKILL);
    for (;;)
        MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"alone", alone}, {"before", before}, {"after", after}, {"live", live}, {"leave", leave}, {"kill", killed}};
    for (int i = 0; i < (int)(sizeof(ways) / sizeof(ways[0])); i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) {
            ways[i].run();
            return tell();
        }
    return 2;
}
