/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses MPI by a session, as MPI 4 has it, then as all do; counts what it calls (count.h).
 */
#include "count.h"

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, out = 1, in;
    DO(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    DO(Comm_create_from_group, group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    DO(Sendrecv, &out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1, comm,
       MPI_STATUS_IGNORE);
    DO(Barrier, comm);
    DO(Comm_free, &comm);
    MPI_Group_free(&group);
    if (argc > 1) {
        DO(Init, &argc, &argv);
        DO(Sendrecv, &out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1,
           MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        DO(Finalize);
    } else {
        DO(Session_finalize, &session);
    }
    return tell_counts(rank, argc > 1 ? "sent 1 4 received 1 4" : "sent 0 0 received 0 0");
}
