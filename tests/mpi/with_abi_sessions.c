/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the MPI of abi.c by sessions, one after another, with a partitioned message in each; one before them is
 * refused. Prints as calls.c does.
 */
#include "abi.h"

#include <stdio.h>

enum { SESSIONS = 3, WORDS = 5, PARTS = 3 };

static int send_parts(MPI_Comm comm)
{
    int data[PARTS * WORDS] = {0}, bad = 0;
    MPI_Request requests[2];
    bad |= MPI_Psend_init(data, PARTS, WORDS, MPI_INT, 0, 1, comm, MPI_INFO_NULL, &requests[0]);
    bad |= MPI_Precv_init(data, PARTS, WORDS, MPI_INT, 0, 1, comm, MPI_INFO_NULL, &requests[1]);
    for (int k = 0; k < 2; k++) {
        bad |= MPI_Start(&requests[0]) | MPI_Start(&requests[1]);
        for (int i = 0; i < PARTS; i++)
            bad |= MPI_Pready(i, requests[0]);
        bad |= MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return bad | MPI_Request_free(&requests[0]) | MPI_Request_free(&requests[1]);
}

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
    bad |= send_parts(comm);
    bad |= MPI_Comm_free(&comm);
    return bad | MPI_Session_finalize(&session);
}

int main(void)
{
    MPI_Session none;
    int bad = MPI_Session_init(MPI_INFO_ENV, MPI_ERRORS_RETURN, &none) == MPI_SUCCESS;
    for (int i = 0; i < SESSIONS; i++)
        bad |= use("abi");
    const int messages = 3 * SESSIONS, bytes = 4 * SESSIONS * WORDS * (1 + 2 * PARTS);
    printf("rank 0: sent %d %d received %d %d MPI_Session_init %d MPI_Comm_create_from_group %d MPI_Send %d MPI_Recv %d "
           "MPI_Comm_free %d MPI_Session_finalize %d MPI_Psend_init %d MPI_Precv_init %d MPI_Start %d MPI_Pready %d "
           "MPI_Waitall %d MPI_Request_free %d\n",
           messages, bytes, messages, bytes, SESSIONS + 1, SESSIONS, SESSIONS, SESSIONS, SESSIONS, SESSIONS, SESSIONS,
           SESSIONS, 4 * SESSIONS, 2 * PARTS * SESSIONS, 2 * SESSIONS, 2 * SESSIONS);
    return bad;
}
