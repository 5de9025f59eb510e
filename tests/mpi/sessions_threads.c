/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of OpenMP's threads opens a session of its own, and exchanges messages with the same thread of the
 * next rank (MPI_THREAD_MULTIPLE), on a communicator of its own, which may be made while the others open theirs.
 * All are open until the last is done: MPICH 4.0.2 does not begin a second time. Prints as calls.c does.
 */
#include <mpi.h>
#include <stdio.h>

int omp_get_thread_num(void);

enum { THREADS = 2, ROUNDS = 20 };

static int rank;

static MPI_Session open_session(void)
{
    MPI_Info info;
    MPI_Session session;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    return session;
}

static void exchange(int thread)
{
    int own, size, in, out = thread;
    char tag[32];
    MPI_Group all;
    MPI_Comm comm;
    MPI_Session session = open_session();
    snprintf(tag, sizeof(tag), "thread %d", thread);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&all);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    if (thread == 0)
        rank = own;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, (own + 1) % size, 1, &in, 1, MPI_INT, (own + size - 1) % size, 1, comm,
                     MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
#pragma omp barrier
    MPI_Session_finalize(&session);
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
    exchange(omp_get_thread_num());
    const int all = THREADS * ROUNDS;
    printf("rank %d: sent %d %d received %d %d MPI_Session_init %d MPI_Comm_create_from_group %d MPI_Sendrecv %d "
           "MPI_Comm_free %d MPI_Session_finalize %d\n",
           rank, all, 4 * all, all, 4 * all, THREADS, THREADS, all, THREADS, THREADS);
    return 0;
}
