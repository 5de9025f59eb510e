/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations: what this process gives and gets, in bytes, from the arguments that count on it
 * (others may be anything). What stays in place counts as if it were sent.
 */
#include "callbacks/mpi/calls.h"

struct exchange {
    uint64_t sent;
    uint64_t received;
    uint32_t root; /* rank, or as OTF2 has it, where there is none: */
};
enum { NO_ROOT = -1, ROOT_ON_THIS_SIDE = -3 };

static int64_t count_at(const struct omptape_mpi_call *call, intptr_t counts, uint32_t index)
{
    return call->large ? ((const int64_t *)counts)[index] : ((const int *)counts)[index];
}

static uint64_t bytes_of_all(const struct omptape_mpi_call *call, intptr_t counts, intptr_t type,
                             uint32_t size)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < size; i++)
        count += count_at(call, counts, i) > 0 ? (uint64_t)count_at(call, counts, i) : 0;
    return count > 0 ? count * omptape_mpi_bytes(1, type) : 0;
}

static uint64_t bytes_of_types(const struct omptape_mpi_call *call, intptr_t counts, intptr_t types,
                               uint32_t size)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < size; i++)
        bytes += omptape_mpi_bytes(count_at(call, counts, i), omptape_mpi_handle_at(types, i));
    return bytes;
}

/* Who is the root, as this process names it: between two groups it names itself in its own way, or somebody
 * on its side, which have nothing to do. */
static uint32_t root_of(const struct omptape_mpi_comm *comm, intptr_t argument)
{
    const int root = (int)argument;
    if (!comm->inter || root >= 0)
        return (uint32_t)root + comm->offset;
    return root == omptape_mpi.root ? comm->rank : (uint32_t)ROOT_ON_THIS_SIDE;
}

static bool stands_by(const struct exchange *exchange)
{
    return exchange->root == (uint32_t)ROOT_ON_THIS_SIDE;
}

static bool in_place(intptr_t buffer)
{
    return buffer == omptape_mpi.in_place;
}

/* Send buffer, count, type, receive buffer, count(s), (displacements,) type, root. */
static struct exchange gather(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                              bool varied)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = root_of(comm, a[6 + varied])};
    const bool root = exchange.root == comm->rank;
    if (stands_by(&exchange))
        return exchange;
    if (root && varied)
        exchange.received = bytes_of_all(call, a[4], a[6], comm->peers);
    else if (root)
        exchange.received = comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    if (root && comm->inter)
        return exchange;
    if (!root || !in_place(a[0]))
        exchange.sent = omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    else
        exchange.sent = varied ? omptape_mpi_bytes(count_at(call, a[4], comm->rank), a[6])
                               : omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    return exchange;
}

static struct exchange scatter(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                               bool varied)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = root_of(comm, a[6 + varied])};
    const bool root = exchange.root == comm->rank;
    if (stands_by(&exchange))
        return exchange;
    if (root && varied)
        exchange.sent = bytes_of_all(call, a[1], a[3], comm->peers);
    else if (root)
        exchange.sent = comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    if (root && comm->inter)
        return exchange;
    if (!root || !in_place(a[3 + varied]))
        exchange.received = omptape_mpi_bytes(omptape_mpi_count(call, 4 + varied), a[5 + varied]);
    else
        exchange.received = varied ? omptape_mpi_bytes(count_at(call, a[1], comm->rank), a[3])
                                   : omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    return exchange;
}

static struct exchange allgather(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                                 bool varied)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = (uint32_t)NO_ROOT};
    exchange.received = varied ? bytes_of_all(call, a[4], a[6], comm->peers)
                               : comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    if (!in_place(a[0]))
        exchange.sent = omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    else
        exchange.sent = varied ? omptape_mpi_bytes(count_at(call, a[4], comm->rank), a[6])
                               : omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    return exchange;
}

/* Send buffer, count(s), (displacements,) type(s), and the same of what is received. */
static struct exchange alltoall(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                                unsigned shape)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = (uint32_t)NO_ROOT};
    if (shape == OMPTAPE_MPI_SHAPE_ALLTOALL)
        exchange.received = comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, 4), a[5]);
    else if (shape == OMPTAPE_MPI_SHAPE_ALLTOALLV)
        exchange.received = bytes_of_all(call, a[5], a[7], comm->peers);
    else
        exchange.received = bytes_of_types(call, a[5], a[7], comm->peers);
    if (in_place(a[0]))
        exchange.sent = exchange.received;
    else if (shape == OMPTAPE_MPI_SHAPE_ALLTOALL)
        exchange.sent = comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]);
    else if (shape == OMPTAPE_MPI_SHAPE_ALLTOALLV)
        exchange.sent = bytes_of_all(call, a[1], a[3], comm->peers);
    else
        exchange.sent = bytes_of_types(call, a[1], a[3], comm->peers);
    return exchange;
}

/* Buffer, buffer, count, type, operation, (root). */
static struct exchange reduce(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = root_of(comm, a[5])};
    const bool root = exchange.root == comm->rank;
    if (stands_by(&exchange))
        return exchange;
    const uint64_t bytes = omptape_mpi_bytes(omptape_mpi_count(call, 2), a[3]);
    exchange.sent = root && comm->inter ? 0 : bytes;
    exchange.received = root ? comm->peers * bytes : 0;
    return exchange;
}

static struct exchange broadcast(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm)
{
    struct exchange exchange = {.root = root_of(comm, call->a[3])};
    const bool root = exchange.root == comm->rank;
    if (stands_by(&exchange))
        return exchange;
    const uint64_t bytes = omptape_mpi_bytes(omptape_mpi_count(call, 1), call->a[2]);
    exchange.sent = root ? comm->peers * bytes : 0;
    exchange.received = root && comm->inter ? 0 : bytes;
    return exchange;
}

/* The counts are those of this side. */
static struct exchange reduce_scatter(const struct omptape_mpi_call *call,
                                      const struct omptape_mpi_comm *comm)
{
    const intptr_t *a = call->a;
    const uint32_t size = comm->inter ? comm->size - comm->peers : comm->size;
    const uint32_t first = comm->inter && comm->offset == 0 ? comm->peers : 0;
    return (struct exchange){.root = (uint32_t)NO_ROOT,
                             .sent = bytes_of_all(call, a[2], a[3], size),
                             .received = omptape_mpi_bytes(count_at(call, a[2], comm->rank - first), a[3])};
}

static struct exchange exchange_of(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                                   unsigned shape)
{
    const intptr_t *a = call->a;
    struct exchange exchange = {.root = (uint32_t)NO_ROOT};
    switch ((enum omptape_mpi_shape)shape) {
    case OMPTAPE_MPI_SHAPE_BCAST:
        return broadcast(call, comm);
    case OMPTAPE_MPI_SHAPE_GATHER:
    case OMPTAPE_MPI_SHAPE_GATHERV:
        return gather(call, comm, shape == OMPTAPE_MPI_SHAPE_GATHERV);
    case OMPTAPE_MPI_SHAPE_SCATTER:
    case OMPTAPE_MPI_SHAPE_SCATTERV:
        return scatter(call, comm, shape == OMPTAPE_MPI_SHAPE_SCATTERV);
    case OMPTAPE_MPI_SHAPE_ALLGATHER:
    case OMPTAPE_MPI_SHAPE_ALLGATHERV:
        return allgather(call, comm, shape == OMPTAPE_MPI_SHAPE_ALLGATHERV);
    case OMPTAPE_MPI_SHAPE_ALLTOALL:
    case OMPTAPE_MPI_SHAPE_ALLTOALLV:
    case OMPTAPE_MPI_SHAPE_ALLTOALLW:
        return alltoall(call, comm, shape);
    case OMPTAPE_MPI_SHAPE_REDUCE:
        return reduce(call, comm);
    case OMPTAPE_MPI_SHAPE_ALLREDUCE:
    case OMPTAPE_MPI_SHAPE_SCAN:
    case OMPTAPE_MPI_SHAPE_EXSCAN:
        exchange.sent = omptape_mpi_bytes(omptape_mpi_count(call, 2), a[3]);
        exchange.received = exchange.sent;
        return exchange;
    case OMPTAPE_MPI_SHAPE_REDUCE_SCATTER:
        return reduce_scatter(call, comm);
    case OMPTAPE_MPI_SHAPE_REDUCE_SCATTER_BLOCK:
        exchange.received = omptape_mpi_bytes(omptape_mpi_count(call, 2), a[3]);
        exchange.sent = (comm->inter ? comm->size - comm->peers : comm->size) * exchange.received;
        return exchange;
    default: /* nothing, or how many neighbours there are only the topology knows */
        return exchange;
    }
}

/* As OTF2 numbers them: it has none for exchanges among neighbours. */
static unsigned operation_of(unsigned shape)
{
    static const uint8_t neighbours[] = {OMPTAPE_MPI_SHAPE_ALLGATHER, OMPTAPE_MPI_SHAPE_ALLGATHERV,
                                         OMPTAPE_MPI_SHAPE_ALLTOALL, OMPTAPE_MPI_SHAPE_ALLTOALLV,
                                         OMPTAPE_MPI_SHAPE_ALLTOALLW};
    return shape >= OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER
               ? neighbours[shape - OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER]
               : shape;
}

/* The root, which comes before the communicator, of what has one. */
static uint32_t root_argument(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm)
{
    switch ((enum omptape_mpi_shape)call->detail) {
    case OMPTAPE_MPI_SHAPE_BCAST:
    case OMPTAPE_MPI_SHAPE_GATHER:
    case OMPTAPE_MPI_SHAPE_GATHERV:
    case OMPTAPE_MPI_SHAPE_SCATTER:
    case OMPTAPE_MPI_SHAPE_SCATTERV:
    case OMPTAPE_MPI_SHAPE_REDUCE:
        return root_of(comm, call->a[call->count - 2]);
    default:
        return (uint32_t)NO_ROOT;
    }
}

/* Communicator and operation, as records have them. */
static uint64_t packed(const struct omptape_mpi_comm *comm, unsigned shape)
{
    return comm->number | (uint64_t)operation_of(shape) << 32;
}

/* The communicator comes last, or before the request. */
int omptape_mpi_collective(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[call->count - 1]);
    if (comm == NULL)
        return omptape_mpi_region(call);
    omptape_put3(call->slot, OMPTAPE_MPI_ENTER, call->number | OMPTAPE_MPI_ENTERS,
                 OMPTAPE_MPI_AWAITS_COLLECTIVE, call->site, packed(comm, call->detail),
                 root_argument(call, comm));
    int result = omptape_mpi_pass(call);
    const struct exchange exchange = exchange_of(call, comm, call->detail);
    omptape_put3(call->slot, OMPTAPE_MPI_COLLECTIVE, call->number | OMPTAPE_MPI_LEAVES, exchange.root,
                 packed(comm, call->detail), exchange.sent, exchange.received);
    return result;
}

/* What is to be done by a request; `where` it is. */
static bool prepare(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm, intptr_t where,
                    struct omptape_mpi_request *request)
{
    const intptr_t handle = omptape_mpi_request_at(where);
    const struct exchange exchange = exchange_of(call, comm, call->detail);
    *request = (struct omptape_mpi_request){.handle = handle,
                                            .sent = exchange.sent,
                                            .received = exchange.received,
                                            .comm = packed(comm, call->detail),
                                            .tag = (int32_t)exchange.root,
                                            .kind = OMPTAPE_MPI_REQUEST_COLLECTIVE};
    return handle != omptape_mpi.request_null;
}

int omptape_mpi_icollective(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[call->count - 2]);
    struct omptape_mpi_request request;
    int result = omptape_mpi_enter_and_pass(call);
    if (comm != NULL && result == OMPTAPE_MPI_SUCCESS &&
        prepare(call, comm, call->a[call->count - 1], &request)) {
        request.id = omptape_producer_id(call->slot);
        omptape_mpi_progress(call, OMPTAPE_MPI_COLLECTIVE_POSTED, request.id);
        omptape_mpi_requests_add(&request);
    }
    return omptape_mpi_leave(call, result);
}

/* The communicator, what MPI is told more, and the request come last. */
int omptape_mpi_collective_init(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[call->count - 3]);
    struct omptape_mpi_request request;
    int result = omptape_mpi_enter_and_pass(call);
    if (comm != NULL && result == OMPTAPE_MPI_SUCCESS &&
        prepare(call, comm, call->a[call->count - 1], &request)) {
        request.persistent = true;
        omptape_mpi_requests_add(&request);
    }
    return omptape_mpi_leave(call, result);
}
