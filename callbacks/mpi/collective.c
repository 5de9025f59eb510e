/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families of collective operations. They compute the bytes that this process sends and receives, from
 * those arguments that are significant for it. Data in place (MPI_IN_PLACE) count as sent.
 */
#include "callbacks/mpi/calls.h"

struct exchange {
    uint64_t sent;
    uint64_t received;
    uint32_t root; /* Rank of the root, or one of OTF2's constants below. */
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

/* Returns the rank of the root. For an inter-communicator the root passes MPI_ROOT; other processes of its
 * group pass MPI_PROC_NULL and transfer nothing. */
static uint32_t root_of(const struct omptape_mpi_comm *comm, intptr_t argument)
{
    const int root = (int)argument;
    if (!comm->inter || root >= 0)
        return (uint32_t)root + comm->offset;
    return root == omptape_mpi.root ? comm->rank : (uint32_t)ROOT_ON_THIS_SIDE;
}

/* The size of one side of an operation: one count, one for each process, or a list, perhaps with types. */
enum amount { NOTHING, ONE, EACH, COUNTS, TYPES };

/* The indices of the arguments for one side of an operation: buffer, count(s) and type(s). */
struct side {
    uint8_t amount;
    uint8_t buffer;
    uint8_t count;
    uint8_t type;
};

struct shape {
    struct side send;
    struct side receive;
    uint8_t root; /* Index of the root argument; 0 if the operation has no root. */
};

/* Other operations transfer nothing, or exchange_of() computes them. */
static const struct shape shapes[OMPTAPE_MPI_SHAPES] = {
    [OMPTAPE_MPI_SHAPE_BCAST] = {{EACH, 0, 1, 2}, {ONE, 0, 1, 2}, 3},
    [OMPTAPE_MPI_SHAPE_GATHER] = {{ONE, 0, 1, 2}, {EACH, 3, 4, 5}, 6},
    [OMPTAPE_MPI_SHAPE_GATHERV] = {{ONE, 0, 1, 2}, {COUNTS, 3, 4, 6}, 7},
    [OMPTAPE_MPI_SHAPE_SCATTER] = {{EACH, 0, 1, 2}, {ONE, 3, 4, 5}, 6},
    [OMPTAPE_MPI_SHAPE_SCATTERV] = {{COUNTS, 0, 1, 3}, {ONE, 4, 5, 6}, 7},
    [OMPTAPE_MPI_SHAPE_ALLGATHER] = {{ONE, 0, 1, 2}, {EACH, 3, 4, 5}, 0},
    [OMPTAPE_MPI_SHAPE_ALLGATHERV] = {{ONE, 0, 1, 2}, {COUNTS, 3, 4, 6}, 0},
    [OMPTAPE_MPI_SHAPE_ALLTOALL] = {{EACH, 0, 1, 2}, {EACH, 3, 4, 5}, 0},
    [OMPTAPE_MPI_SHAPE_ALLTOALLV] = {{COUNTS, 0, 1, 3}, {COUNTS, 4, 5, 7}, 0},
    [OMPTAPE_MPI_SHAPE_ALLTOALLW] = {{TYPES, 0, 1, 3}, {TYPES, 4, 5, 7}, 0},
    [OMPTAPE_MPI_SHAPE_REDUCE] = {{ONE, 0, 2, 3}, {EACH, 1, 2, 3}, 5},
    [OMPTAPE_MPI_SHAPE_ALLREDUCE] = {{ONE, 0, 2, 3}, {ONE, 1, 2, 3}, 0},
    [OMPTAPE_MPI_SHAPE_SCAN] = {{ONE, 0, 2, 3}, {ONE, 1, 2, 3}, 0},
    [OMPTAPE_MPI_SHAPE_EXSCAN] = {{ONE, 0, 2, 3}, {ONE, 1, 2, 3}, 0},
};

static uint64_t bytes_of_side(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                              const struct side *side)
{
    const intptr_t *a = call->a;
    switch ((enum amount)side->amount) {
    case ONE:
        return omptape_mpi_bytes(omptape_mpi_count(call, side->count), a[side->type]);
    case EACH:
        return comm->peers * omptape_mpi_bytes(omptape_mpi_count(call, side->count), a[side->type]);
    case COUNTS:
        return bytes_of_all(call, a[side->count], a[side->type], comm->peers);
    case TYPES:
        return bytes_of_types(call, a[side->count], a[side->type], comm->peers);
    default:
        return 0;
    }
}

/* Returns the bytes of a side. With data in place the other side gives the size of all or of this part. */
static uint64_t bytes_with(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                           const struct side *side, const struct side *other)
{
    if (call->a[side->buffer] != omptape_mpi.in_place)
        return bytes_of_side(call, comm, side);
    if (side->amount != ONE)
        return bytes_of_side(call, comm, other);
    const int64_t count = other->amount == COUNTS ? count_at(call, call->a[other->count], comm->rank)
                                                  : omptape_mpi_count(call, other->count);
    return omptape_mpi_bytes(count, call->a[other->type]);
}

/* Computes an operation with a root. The root has the side for all processes, the others have the side for
 * one. Within one group the root also has the latter. */
static struct exchange exchange_with_root(const struct omptape_mpi_call *call,
                                          const struct omptape_mpi_comm *comm, const struct shape *shape)
{
    struct exchange exchange = {.root = root_of(comm, call->a[shape->root])};
    const bool root = exchange.root == comm->rank;
    const bool to_root = shape->send.amount == ONE;
    const struct side *own = to_root ? &shape->send : &shape->receive;
    const struct side *all = to_root ? &shape->receive : &shape->send;
    if (exchange.root == (uint32_t)ROOT_ON_THIS_SIDE)
        return exchange;
    const uint64_t of_all = root ? bytes_of_side(call, comm, all) : 0;
    const uint64_t of_own = root && comm->inter ? 0
                            : root              ? bytes_with(call, comm, own, all)
                                                : bytes_of_side(call, comm, own);
    exchange.sent = to_root ? of_own : of_all;
    exchange.received = to_root ? of_all : of_own;
    return exchange;
}

/* Computes a reduce-scatter. The counts are for the own side of an inter-communicator. */
static struct exchange reduce_scatter(const struct omptape_mpi_call *call,
                                      const struct omptape_mpi_comm *comm, bool has_counts)
{
    const intptr_t *a = call->a;
    const uint32_t size = comm->inter ? comm->size - comm->peers : comm->size;
    const uint32_t first = comm->inter && comm->offset == 0 ? comm->peers : 0;
    const int64_t own = has_counts ? count_at(call, a[2], comm->rank - first) : omptape_mpi_count(call, 2);
    struct exchange exchange = {.root = (uint32_t)NO_ROOT, .received = omptape_mpi_bytes(own, a[3])};
    exchange.sent = has_counts ? bytes_of_all(call, a[2], a[3], size) : size * exchange.received;
    return exchange;
}

/* Computes the bytes of an operation, but not of neighbourhood operations: only the topology knows how
 * many. */
static struct exchange exchange_of(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm)
{
    const struct shape *shape = &shapes[call->detail];
    if (call->detail == OMPTAPE_MPI_SHAPE_REDUCE_SCATTER ||
        call->detail == OMPTAPE_MPI_SHAPE_REDUCE_SCATTER_BLOCK)
        return reduce_scatter(call, comm, call->detail == OMPTAPE_MPI_SHAPE_REDUCE_SCATTER);
    if (shape->root != 0)
        return exchange_with_root(call, comm, shape);
    struct exchange exchange = {.root = (uint32_t)NO_ROOT};
    if (shape->send.amount != NOTHING) {
        exchange.sent = bytes_with(call, comm, &shape->send, &shape->receive);
        exchange.received = bytes_of_side(call, comm, &shape->receive);
    }
    return exchange;
}

/* Returns OTF2's number of the operation. Neighbourhood operations, which have none, get the number of the
 * corresponding global operation. */
static unsigned operation_of(unsigned shape)
{
    static const uint8_t neighbours[] = {OMPTAPE_MPI_SHAPE_ALLGATHER, OMPTAPE_MPI_SHAPE_ALLGATHERV,
                                         OMPTAPE_MPI_SHAPE_ALLTOALL, OMPTAPE_MPI_SHAPE_ALLTOALLV,
                                         OMPTAPE_MPI_SHAPE_ALLTOALLW};
    return shape >= OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER
               ? neighbours[shape - OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER]
               : shape;
}

static uint32_t root_argument(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm)
{
    const uint8_t root = shapes[call->detail].root;
    return root != 0 ? root_of(comm, call->a[root]) : (uint32_t)NO_ROOT;
}

/* Returns communicator and operation as one word of a record. */
static uint64_t packed(const struct omptape_mpi_comm *comm, unsigned shape)
{
    return comm->number | (uint64_t)operation_of(shape) << 32;
}

/* The last argument is the communicator; a request follows it in the non-blocking variant. */
int omptape_mpi_collective(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[call->count - 1]);
    if (comm == NULL)
        return omptape_mpi_region(call);
    omptape_put3(call->slot, OMPTAPE_MPI_ENTER, call->number | OMPTAPE_MPI_ENTERS,
                 OMPTAPE_MPI_AWAITS_COLLECTIVE, call->site, packed(comm, call->detail),
                 root_argument(call, comm));
    int result = omptape_mpi_pass(call);
    const struct exchange exchange = exchange_of(call, comm);
    omptape_put3(call->slot, OMPTAPE_MPI_COLLECTIVE, call->number | OMPTAPE_MPI_LEAVES, exchange.root,
                 packed(comm, call->detail), exchange.sent, exchange.received);
    return result;
}

/* The last arguments are communicator and request; a persistent operation has an info before the request. */
static int post(struct omptape_mpi_call *call, bool persistent)
{
    const intptr_t *last = &call->a[call->count - 1];
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(last[persistent ? -2 : -1]);
    int result = omptape_mpi_enter_and_pass(call);
    if (comm == NULL || result != OMPTAPE_MPI_SUCCESS ||
        omptape_mpi_request_at(*last) == omptape_mpi.request_null)
        return omptape_mpi_leave(call, result);
    const struct exchange exchange = exchange_of(call, comm);
    const struct omptape_mpi_request request = {.handle = omptape_mpi_request_at(*last),
                                                .id = persistent ? 0 : omptape_producer_id(call->slot),
                                                .sent = exchange.sent,
                                                .received = exchange.received,
                                                .comm = packed(comm, call->detail),
                                                .tag = (int32_t)exchange.root,
                                                .kind = OMPTAPE_MPI_REQUEST_COLLECTIVE,
                                                .persistent = persistent};
    if (!persistent)
        omptape_mpi_progress(call, OMPTAPE_MPI_COLLECTIVE_POSTED, request.id);
    omptape_mpi_requests_add(&request);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_icollective(struct omptape_mpi_call *call)
{
    return post(call, false);
}

int omptape_mpi_collective_init(struct omptape_mpi_call *call)
{
    return post(call, true);
}
