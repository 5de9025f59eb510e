/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the MPI of abi.c by sessions, one after another; one before them is refused. Prints as calls.c does.
 */
#include "abi.h"

#include <stdio.h>

enum { SESSIONS = 3, WORDS = 5 };

static int use(const char *tag)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int data[WORDS] = {0};
    int bad = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    bad |= MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    bad |= MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    bad |= MPI_Group_free(&group);
    bad |= MPI_Send(data, WORDS, MPI_INT, 0, 1, comm);
    bad |= MPI_Recv(data, WORDS, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    bad |= MPI_Comm_free(&comm);
    return bad | MPI_Session_finalize(&session);
}

int main(void)
{
    MPI_Session none;
    int bad = MPI_Session_init(MPI_INFO_ENV, MPI_ERRORS_RETURN, &none) == MPI_SUCCESS;
    for (int i = 0; i < SESSIONS; i++)
        bad |= use("abi");
    printf("rank 0: sent %d %d received %d %d MPI_Session_init %d MPI_Comm_create_from_group %d MPI_Send %d MPI_Recv %d "
           "MPI_Comm_free %d MPI_Session_finalize %d\n",
           SESSIONS, 4 * SESSIONS * WORDS, SESSIONS, 4 * SESSIONS * WORDS, SESSIONS + 1, SESSIONS, SESSIONS, SESSIONS,
           SESSIONS, SESSIONS);
    return bad;
}
