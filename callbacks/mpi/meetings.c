/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How processes of several worlds meet, as far as one side knows it: MPI_Comm_spawn and _get_parent,
 * _accept and _connect, _join. Nothing is asked of the other side, which may not be traced.
 */
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/handles.h"
#include "src/mpi/functions.h"

#include <string.h>
#include <sys/socket.h>

/* A port's name: the same text on both sides, at their roots. */
static uint64_t hash_name(intptr_t text)
{
    enum { MOST_BYTES = 4096 };
    return text != 0 ? omptape_mpi_hash_bytes((const char *)text, strnlen((const char *)text, MOST_BYTES))
                     : 0;
}

/* The two ends of a socket have two addresses, which both of them can ask for. Without that (socketpair)
 * nothing says which side is to be the first. */
static void name_socket(int socket, struct omptape_mpi_meeting *meeting)
{
    struct sockaddr_storage here;
    struct sockaddr_storage there;
    socklen_t here_bytes = sizeof(here);
    socklen_t there_bytes = sizeof(there);
    memset(&here, 0, sizeof(here));
    memset(&there, 0, sizeof(there));
    if (getsockname(socket, (struct sockaddr *)&here, &here_bytes) != 0 ||
        getpeername(socket, (struct sockaddr *)&there, &there_bytes) != 0)
        return;
    const int order = memcmp(&here, &there, sizeof(here));
    if (order == 0)
        return;
    meeting->kind = OMPTAPE_MPI_JOIN;
    meeting->first = order < 0;
    meeting->root = true;
    meeting->name = omptape_mpi_mix(omptape_mpi_hash_bytes(order < 0 ? &here : &there, sizeof(here)),
                                    omptape_mpi_hash_bytes(order < 0 ? &there : &here, sizeof(here)));
}

/* The arguments: ..., root, communicator, new communicator. */
static void describe(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *parent,
                     struct omptape_mpi_meeting *meeting)
{
    meeting->root = parent != NULL && (int)call->a[call->detail - 2] == (int)parent->rank;
    switch (call->number) {
    case OMPTAPE_CALL_MPI_Comm_accept:
    case OMPTAPE_CALL_MPI_Comm_connect:
        meeting->first = call->number == OMPTAPE_CALL_MPI_Comm_accept;
        meeting->kind = OMPTAPE_MPI_CONNECT;
        meeting->name = meeting->root ? hash_name(call->a[0]) : 0;
        break;
    default:
        meeting->first = true;
        meeting->kind = OMPTAPE_MPI_SPAWN;
    }
}

/* `together`: all members of the parent are in it. */
static int meet(struct omptape_mpi_call *call, const struct omptape_mpi_comm *parent,
                const struct omptape_mpi_meeting *meeting, bool together)
{
    int result;
    const intptr_t handle = omptape_mpi_pass_making(call, &result);
    if (handle != omptape_mpi.comm_null && parent != NULL)
        omptape_mpi_comms_meet(call->slot, parent, handle, meeting);
    if (together)
        omptape_mpi_comm_made(call, parent->number, handle, 0);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_comm_meet(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *parent = omptape_mpi_comms_find(call->a[call->detail - 1]);
    struct omptape_mpi_meeting meeting = {.kind = OMPTAPE_MPI_UNKNOWN};
    omptape_mpi_enter_together(call, parent, OMPTAPE_MPI_CREATE);
    describe(call, parent, &meeting);
    return meet(call, parent, &meeting, parent != NULL);
}

int omptape_mpi_comm_join(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *own = omptape_mpi_comms_find(omptape_mpi.comm_self);
    struct omptape_mpi_meeting meeting = {.kind = OMPTAPE_MPI_UNKNOWN};
    omptape_mpi_enter_together(call, own, OMPTAPE_MPI_CREATE);
    name_socket((int)call->a[0], &meeting);
    return meet(call, own, &meeting, own != NULL);
}

int omptape_mpi_comm_parent(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_meeting meeting = {.kind = OMPTAPE_MPI_SPAWNED};
    omptape_mpi_enter(call);
    return meet(call, omptape_mpi_comms_find(omptape_mpi.comm_world), &meeting, false);
}
