/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that are made and freed, and what is nothing but a region.
 */
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/tables/handles.h"

#include <string.h>

int omptape_mpi_region(struct omptape_mpi_call *call)
{
    omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    omptape_mpi_leave(call);
    return result;
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

static int make(struct omptape_mpi_call *call, intptr_t of, bool like, uint64_t tag)
{
    const struct omptape_mpi_origin origin = origin_of(of);
    const intptr_t made = call->a[call->detail];
    omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && origin.comm != NULL && made != 0)
        (void)omptape_mpi_comms_add(call->slot, &origin, omptape_mpi_handle_at(made, 0), like, tag);
    omptape_mpi_leave(call);
    return result;
}

int omptape_mpi_comm_dup(struct omptape_mpi_call *call)
{
    return make(call, call->a[0], true, 0);
}

int omptape_mpi_comm_new(struct omptape_mpi_call *call)
{
    return make(call, call->a[0], false, 0);
}

/* Only the members call it, with a tag that tells it apart from what other threads do. */
int omptape_mpi_comm_of_group(struct omptape_mpi_call *call)
{
    return make(call, call->a[0], false, (uint64_t)(uint32_t)call->a[2] + 1);
}

/* Its arguments end with: what tells it apart (text), info, error handler, the new one. */
int omptape_mpi_comm_of_groups(struct omptape_mpi_call *call)
{
    enum { MOST_BYTES = 4096 };
    const intptr_t made = call->a[call->detail];
    const char *tag = (const char *)call->a[call->detail - 3];
    omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && made != 0 && tag != NULL)
        (void)omptape_mpi_comms_add_of_groups(call->slot, omptape_mpi_handle_at(made, 0),
                                              omptape_mpi_hash_bytes(tag, strnlen(tag, MOST_BYTES)));
    omptape_mpi_leave(call);
    return result;
}

/* Of two groups, by a communicator in which their leaders find each other: MPI takes it from these alone, but
 * whoever is in it may well name it. Where processes are of several worlds, it knows both groups. */
int omptape_mpi_comm_inter(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_origin own = origin_of(call->a[0]);
    const struct omptape_mpi_origin common = origin_of(call->a[2]);
    const intptr_t made = call->a[call->detail];
    omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && own.comm != NULL && made != 0 &&
        !omptape_mpi_comms_add(call->slot, &own, omptape_mpi_handle_at(made, 0), false, 0) &&
        common.comm != NULL && common.comm->meeting != 0)
        (void)omptape_mpi_comms_add(call->slot, &common, omptape_mpi_handle_at(made, 0), false, 0);
    omptape_mpi_leave(call);
    return result;
}

/* The new one may be used when the request is complete. */
int omptape_mpi_comm_idup(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *parent = omptape_mpi_comms_find(call->a[0]);
    const intptr_t made = call->a[call->detail];
    const intptr_t request = call->a[call->detail + 1];
    omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && parent != NULL && made != 0 && request != 0)
        omptape_mpi_requests_add(
            &(struct omptape_mpi_request){.handle = omptape_mpi_handle_at(request, 0),
                                          .id = omptape_producer_id(call->slot),
                                          .kind = OMPTAPE_MPI_REQUEST_COMM,
                                          .where = made,
                                          .comm = (uintptr_t)omptape_mpi_comms_announce(call->slot, parent)});
    omptape_mpi_leave(call);
    return result;
}

int omptape_mpi_comm_free(struct omptape_mpi_call *call)
{
    const intptr_t handle = call->a[0] != 0 ? omptape_mpi_handle_at(call->a[0], 0) : omptape_mpi.comm_null;
    omptape_mpi_enter(call);
    /* Before another thread is given the same handle. */
    if (handle != omptape_mpi.comm_null)
        omptape_mpi_comms_remove(handle);
    int result = omptape_mpi_pass(call);
    omptape_mpi_leave(call);
    return result;
}
