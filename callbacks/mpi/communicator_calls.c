/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families that create and free communicators, and the one for calls that are recorded as a plain region.
 */
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/handles.h"
#include "src/mpi/functions.h"

#include <string.h>
#include <sys/socket.h>

int omptape_mpi_region(struct omptape_mpi_call *call)
{
    int result = omptape_mpi_enter_and_pass(call);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_abort(struct omptape_mpi_call *call)
{
    omptape_mpi_note_use(OMPTAPE_MPI_ABORTED, (int)call->a[1]);
    omptape_mpi_enter(call);
    return omptape_mpi_pass(call);
}

static struct omptape_mpi_origin origin_of(intptr_t handle)
{
    return (struct omptape_mpi_origin){.comm = omptape_mpi_comms_find(handle), .handle = handle};
}

static uint32_t number_of(intptr_t handle)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(handle);
    return comm != NULL ? comm->number : UINT32_MAX;
}

static void put_comm_change(const struct omptape_mpi_call *call, uint32_t on, uint32_t number, unsigned flags,
                            bool freed)
{
    omptape_put1(call->slot, OMPTAPE_MPI_COMM_CHANGE, call->number | flags, freed,
                 on | (uint64_t)number << 32);
}

static int make(struct omptape_mpi_call *call, intptr_t of, bool like)
{
    const struct omptape_mpi_origin origin = origin_of(of);
    omptape_mpi_enter_together(call, origin.comm, OMPTAPE_MPI_CREATE);
    int result;
    const intptr_t handle = omptape_mpi_pass_creating(call, &result);
    if (origin.comm != NULL) {
        (void)omptape_mpi_comms_add(call->slot, &origin, handle, like, 0);
        put_comm_change(call, origin.comm->number, number_of(handle), 0, false);
    }
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_comm_dup(struct omptape_mpi_call *call)
{
    return make(call, call->a[0], true);
}

int omptape_mpi_comm_new(struct omptape_mpi_call *call)
{
    return make(call, call->a[0], false);
}

/* Records the begin of an operation that only the members of the new communicator call. It belongs to that,
 * or to MPI_COMM_SELF if there is none. Without MPI_COMM_SELF (sessions) only the end shows whether there is
 * an operation. Returns true if MPI_COMM_SELF is known. */
static bool enter_among_members(const struct omptape_mpi_call *call)
{
    const bool known = omptape_mpi_comms_find(omptape_mpi.comm_self) != NULL;
    omptape_put1(call->slot, OMPTAPE_MPI_ENTER, call->number | (known ? OMPTAPE_MPI_ENTERS : 0), 0,
                 call->site);
    return known;
}

static void leave_among_members(const struct omptape_mpi_call *call, bool entered, intptr_t handle)
{
    const uint32_t number = number_of(handle);
    if (number != UINT32_MAX || entered)
        put_comm_change(call, number != UINT32_MAX ? number : OMPTAPE_MPI_SELF, number,
                        entered ? 0 : OMPTAPE_MPI_ENTERS, false);
    (void)omptape_mpi_leave(call, 0);
}

/* The tag distinguishes the communicator from those that other threads create. */
int omptape_mpi_comm_of_group(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_origin origin = origin_of(call->a[0]);
    const uint64_t tag = (uint64_t)(uint32_t)call->a[2] + 1;
    const bool entered = enter_among_members(call);
    int result;
    const intptr_t handle = omptape_mpi_pass_creating(call, &result);
    if (origin.comm != NULL)
        (void)omptape_mpi_comms_add(call->slot, &origin, handle, false, tag);
    leave_among_members(call, entered, handle);
    return result;
}

/* The last arguments are tag (text), info, error handler and new communicator. */
int omptape_mpi_comm_of_groups(struct omptape_mpi_call *call)
{
    enum { MAX_BYTES = 4096 };
    const char *tag = (const char *)call->a[call->detail - 3];
    const bool entered = enter_among_members(call);
    int result;
    const intptr_t handle = omptape_mpi_pass_creating(call, &result);
    if (tag != NULL)
        (void)omptape_mpi_comms_add_of_groups(call->slot, handle,
                                              omptape_mpi_hash_bytes(tag, strnlen(tag, MAX_BYTES)));
    leave_among_members(call, entered, handle);
    return result;
}

/* Creates an inter-communicator of two groups. MPI needs the common communicator only at their leaders, but
 * other members may pass it. It is used if the groups contain processes of several worlds. */
int omptape_mpi_comm_inter(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_origin own = origin_of(call->a[0]);
    const struct omptape_mpi_origin common = origin_of(call->a[2]);
    const bool entered = enter_among_members(call);
    int result;
    const intptr_t handle = omptape_mpi_pass_creating(call, &result);
    if (own.comm != NULL && !omptape_mpi_comms_add(call->slot, &own, handle, false, 0) &&
        common.comm != NULL && common.comm->connection != 0)
        (void)omptape_mpi_comms_add(call->slot, &common, handle, false, 0);
    leave_among_members(call, entered, handle);
    return result;
}

/* The new communicator may be used when the request is complete. */
int omptape_mpi_comm_idup(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *parent = omptape_mpi_comms_find(call->a[0]);
    const intptr_t made = call->a[call->detail];
    const intptr_t place = call->a[call->detail + 1];
    int result = omptape_mpi_enter_and_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && parent != NULL && made != 0 && place != 0) {
        const struct omptape_mpi_request request = {
            .handle = omptape_mpi_handle_at(place, 0),
            .id = omptape_producer_id(call->slot),
            .kind = OMPTAPE_MPI_REQUEST_COMM,
            .sent = parent->number,
            .where = made,
            .comm = (uintptr_t)omptape_mpi_comms_create_pending(call->slot, parent)};
        omptape_mpi_progress(call, OMPTAPE_MPI_COLLECTIVE_POSTED, request.id);
        omptape_mpi_requests_add(&request);
    }
    return omptape_mpi_leave(call, result);
}

void omptape_mpi_comm_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request)
{
    const intptr_t handle = omptape_mpi_handle_at(request->where, 0);
    omptape_mpi_comms_set_handle((struct omptape_mpi_comm *)(uintptr_t)request->comm, handle);
    omptape_put2(call->slot, OMPTAPE_MPI_COMM_CHANGE, call->number, 0,
                 request->sent | (uint64_t)number_of(handle) << 32, request->id);
}

int omptape_mpi_comm_free(struct omptape_mpi_call *call)
{
    const intptr_t handle = call->a[0] != 0 ? omptape_mpi_handle_at(call->a[0], 0) : omptape_mpi.comm_null;
    struct omptape_mpi_comm last = {.number = UINT32_MAX};
    /* The communicator is removed before another thread may receive the same handle. */
    const bool known = handle != omptape_mpi.comm_null && omptape_mpi_comms_remove(handle, &last);
    omptape_mpi_enter_together(call, known ? &last : NULL, OMPTAPE_MPI_DESTROY);
    int result = omptape_mpi_pass(call);
    if (known) {
        put_comm_change(call, last.number, last.number, 0, true);
        omptape_mpi_comms_release(&last);
    }
    return omptape_mpi_leave(call, result);
}

/* Returns the hash of a port's name, which is the same at the roots of both sides; 0 if there is none. */
static uint64_t hash_name(intptr_t text)
{
    enum { MAX_BYTES = 4096 };
    return text != 0 ? omptape_mpi_hash_bytes((const char *)text, strnlen((const char *)text, MAX_BYTES)) : 0;
}

/* Describes a connection by a socket. Both ends can query the two addresses, which determine its name and the
 * first side. Without these (socketpair) the connection remains unknown. */
static void name_socket(int socket, struct omptape_mpi_connection *connection)
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
    connection->kind = OMPTAPE_MPI_JOIN;
    connection->first = order < 0;
    connection->root = true;
    connection->name = omptape_mpi_mix(omptape_mpi_hash_bytes(order < 0 ? &here : &there, sizeof(here)),
                                       omptape_mpi_hash_bytes(order < 0 ? &there : &here, sizeof(here)));
}

/* Describes a connection. The last arguments are root, communicator and new communicator. */
static void describe(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *parent,
                     struct omptape_mpi_connection *connection)
{
    connection->root = parent != NULL && (int)call->a[call->detail - 2] == (int)parent->rank;
    switch (call->number) {
    case OMPTAPE_CALL_MPI_Comm_accept:
    case OMPTAPE_CALL_MPI_Comm_connect:
        connection->first = call->number == OMPTAPE_CALL_MPI_Comm_accept;
        connection->kind = OMPTAPE_MPI_CONNECT;
        connection->name = connection->root ? hash_name(call->a[0]) : 0;
        break;
    default:
        connection->first = true;
        connection->kind = OMPTAPE_MPI_SPAWN;
    }
}

/* Calls MPI and adds the new communicator. `together` means that all members of the parent take part. */
static int connect_worlds(struct omptape_mpi_call *call, const struct omptape_mpi_comm *parent,
                          const struct omptape_mpi_connection *connection, bool together)
{
    int result;
    const intptr_t handle = omptape_mpi_pass_creating(call, &result);
    if (handle != omptape_mpi.comm_null && parent != NULL)
        omptape_mpi_comms_connect(call->slot, parent, handle, connection);
    if (together)
        put_comm_change(call, parent->number, number_of(handle), 0, false);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_comm_connect(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *parent = omptape_mpi_comms_find(call->a[call->detail - 1]);
    struct omptape_mpi_connection connection = {.kind = OMPTAPE_MPI_UNKNOWN};
    omptape_mpi_enter_together(call, parent, OMPTAPE_MPI_CREATE);
    describe(call, parent, &connection);
    return connect_worlds(call, parent, &connection, parent != NULL);
}

int omptape_mpi_comm_join(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *own = omptape_mpi_comms_find(omptape_mpi.comm_self);
    struct omptape_mpi_connection connection = {.kind = OMPTAPE_MPI_UNKNOWN};
    omptape_mpi_enter_together(call, own, OMPTAPE_MPI_CREATE);
    name_socket((int)call->a[0], &connection);
    return connect_worlds(call, own, &connection, own != NULL);
}

int omptape_mpi_comm_parent(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_connection connection = {.kind = OMPTAPE_MPI_SPAWNED};
    omptape_mpi_enter(call);
    return connect_worlds(call, omptape_mpi_comms_find(omptape_mpi.comm_world), &connection, false);
}
