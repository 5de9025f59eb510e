/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided communication in all ways, by two ranks or more; each writes what it did into told.RANK. With a
 * word, it is killed by SIGKILL in the middle of an epoch. Usage: windows [kill]
 */
#include "count.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { WORDS = 16 };

static long puts_done, put_bytes, gets_done, got_bytes, atomics, atomic_sent, atomic_received, locks, groups;
static int memory[WORDS], values[WORDS];

static void put_of(long bytes)
{
    puts_done++;
    put_bytes += bytes;
}

static void get_of(long bytes)
{
    gets_done++;
    got_bytes += bytes;
}

static void atomic_of(long out, long in)
{
    atomics++;
    atomic_sent += out;
    atomic_received += in;
}

/* All that there is, with this rank. */
static void access_all(MPI_Win win, int rank)
{
    int one = 1, old = 0;
    DO(Put, values, 2, MPI_INT, rank, 0, 2, MPI_INT, win);
    put_of(8);
    DO(Get, values + 4, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
    get_of(4);
    DO(Accumulate, values, 3, MPI_INT, rank, 2, 3, MPI_INT, MPI_SUM, win);
    atomic_of(12, 0);
    DO(Get_accumulate, values, 2, MPI_INT, values + 6, 2, MPI_INT, rank, 6, 2, MPI_INT, MPI_SUM, win);
    atomic_of(8, 8);
    DO(Fetch_and_op, &one, &old, MPI_INT, rank, 9, MPI_SUM, win);
    atomic_of(4, 4);
    DO(Compare_and_swap, &one, &old, values + 9, MPI_INT, rank, 10, win);
    atomic_of(8, 4);
    DO(Put, values, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, win);
#if MPI_VERSION >= 4
    DO(Put_c, values, 2, MPI_INT, rank, 0, 2, MPI_INT, win);
    put_of(8);
    DO(Get_c, values + 4, 1, MPI_INT, rank, 1, 1, MPI_INT, win);
    get_of(4);
    DO(Accumulate_c, values, 3, MPI_INT, rank, 2, 3, MPI_INT, MPI_SUM, win);
    atomic_of(12, 0);
    DO(Get_accumulate_c, values, 2, MPI_INT, values + 12, 2, MPI_INT, rank, 6, 2, MPI_INT, MPI_SUM, win);
    atomic_of(8, 8);
#endif
}

/* With requests, complete here when they are, at the other side by the flush. */
static void access_later(MPI_Win win, int rank)
{
    MPI_Request requests[8];
    int n = 0;
    DO(Rput, values, 2, MPI_INT, rank, 0, 2, MPI_INT, win, &requests[n++]);
    DO(Rget, values + 4, 2, MPI_INT, rank, 1, 2, MPI_INT, win, &requests[n++]);
    DO(Raccumulate, values, 2, MPI_INT, rank, 2, 2, MPI_INT, MPI_SUM, win, &requests[n++]);
    DO(Rget_accumulate, values, 2, MPI_INT, values + 6, 2, MPI_INT, rank, 6, 2, MPI_INT, MPI_SUM, win,
       &requests[n++]);
    put_of(8);
    get_of(8);
    atomic_of(8, 0);
    atomic_of(8, 8);
#if MPI_VERSION >= 4
    DO(Rput_c, values, 2, MPI_INT, rank, 0, 2, MPI_INT, win, &requests[n++]);
    DO(Rget_c, values + 8, 2, MPI_INT, rank, 1, 2, MPI_INT, win, &requests[n++]);
    DO(Raccumulate_c, values, 2, MPI_INT, rank, 2, 2, MPI_INT, MPI_SUM, win, &requests[n++]);
    DO(Rget_accumulate_c, values, 2, MPI_INT, values + 10, 2, MPI_INT, rank, 6, 2, MPI_INT, MPI_SUM, win,
       &requests[n++]);
    put_of(8);
    get_of(8);
    atomic_of(8, 0);
    atomic_of(8, 8);
#endif
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
    DO(Win_flush, rank, win);
    DO(Waitall, n - 1, requests + 1, MPI_STATUSES_IGNORE);
}

static void lock_in_all_ways(MPI_Win win, int next)
{
    DO(Win_lock, MPI_LOCK_EXCLUSIVE, next, 0, win);
    access_all(win, next);
    DO(Win_flush_local, next, win);
    access_all(win, next);
    DO(Win_flush, next, win);
    DO(Win_unlock, next, win);
    DO(Win_lock, MPI_LOCK_SHARED, next, 0, win);
    access_later(win, next);
    DO(Win_unlock, next, win);
    DO(Win_lock_all, 0, win);
    access_all(win, next);
    DO(Win_flush_local_all, win);
    DO(Win_flush_all, win);
    access_later(win, next);
    DO(Win_sync, win);
    DO(Win_unlock_all, win);
    locks += 3;
}

/* Only with the neighbours. */
static void post_and_start(MPI_Comm comm, MPI_Win win, int next, int before)
{
    MPI_Group all, to, from;
    int done = 0;
    DO(Comm_group, comm, &all);
    DO(Group_incl, all, 1, &next, &to);
    DO(Group_incl, all, 1, &before, &from);
    for (int i = 0; i < 2; i++) {
        DO(Win_post, from, 0, win);
        DO(Win_start, to, 0, win);
        access_all(win, next);
        DO(Win_complete, win);
        if (i == 0)
            DO(Win_wait, win);
        for (done = i == 0; !done;) {
            DO(Win_test, win, &done);
            if (!done)
                sched_yield();
        }
        groups += 4;
    }
    DO(Group_free, &all);
    DO(Group_free, &to);
    DO(Group_free, &from);
}

static void use(MPI_Comm comm, MPI_Win win, int kill_here)
{
    int rank, size;
    DO(Comm_rank, comm, &rank);
    DO(Comm_size, comm, &size);
    DO(Win_fence, 0, win);
    access_all(win, (rank + 1) % size);
    if (kill_here && rank == 1)
        raise(SIGKILL);
    DO(Win_fence, 0, win);
    post_and_start(comm, win, (rank + 1) % size, (rank + size - 1) % size);
    DO(Barrier, comm);
    lock_in_all_ways(win, (rank + 1) % size);
    DO(Barrier, comm);
    DO(Win_free, &win);
}

int main(int argc, char **argv)
{
    int rank, made = 0, *room;
    MPI_Aint address;
    MPI_Comm back;
    MPI_Win win;
    count("MPI_Init");
    MPI_Init(&argc, &argv);
    DO(Comm_rank, MPI_COMM_WORLD, &rank);
    DO(Comm_split, MPI_COMM_WORLD, 0, -rank, &back); /* the other way round */
    DO(Win_create, memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use(MPI_COMM_WORLD, win, argc > 1);
    DO(Win_allocate, sizeof(memory), sizeof(int), MPI_INFO_NULL, back, &room, &win);
    use(back, win, 0);
    DO(Win_allocate_shared, sizeof(memory), sizeof(int), MPI_INFO_NULL, back, &room, &win);
    use(back, win, 0);
    made += 3;
#if MPI_VERSION >= 4
    DO(Win_create_c, memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
    use(MPI_COMM_SELF, win, 0);
    DO(Win_allocate_c, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &room, &win);
    DO(Win_free, &win);
    DO(Win_allocate_shared_c, sizeof(memory), sizeof(int), MPI_INFO_NULL, back, &room, &win);
    DO(Win_free, &win);
    made += 3;
#endif
    DO(Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    DO(Win_attach, win, memory, sizeof(memory));
    DO(Get_address, memory, &address);
    DO(Win_lock, MPI_LOCK_SHARED, rank, 0, win);
    DO(Put, values, 2, MPI_INT, rank, address, 2, MPI_INT, win);
    put_of(8);
    DO(Win_unlock, rank, win);
    locks++;
    DO(Barrier, MPI_COMM_WORLD);
    DO(Win_detach, win, memory);
    DO(Win_free, &win);
    made++;
    DO(Comm_free, &back);
    count("MPI_Finalize");
    MPI_Finalize();
    char line[256];
    snprintf(
        line, sizeof(line),
        "sent 0 0 received 0 0 windows %d puts %ld %ld gets %ld %ld atomics %ld %ld %ld locks %ld groups %ld",
        made, puts_done, put_bytes, gets_done, got_bytes, atomics, atomic_sent, atomic_received, locks,
        groups);
    return tell_counts(rank, line);
}
