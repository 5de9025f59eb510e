/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families that create, start, cancel and free requests. Each is stored with what is recorded at its
 * completion.
 */
#include "callbacks/mpi/calls.h"

static void add(const struct omptape_mpi_request *request)
{
    if (request->handle != omptape_mpi.request_null)
        omptape_mpi_requests_add(request);
}
#define ADD(...) add(&(struct omptape_mpi_request){__VA_ARGS__})

/* Arguments: buffer, count, type, receiver, tag, communicator, request. */
int omptape_mpi_isend(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[5]);
    if (!omptape_mpi_is_sent(comm, (int)a[3]))
        return omptape_mpi_region(call);
    const uint64_t id = omptape_producer_id(call->slot);
    const uint64_t peer = omptape_mpi_peer(comm, (int)a[3]);
    omptape_mpi_enter_sending(call, (int)a[4], peer, omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]), id);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS)
        ADD(.handle = omptape_mpi_request_at(a[6]), .id = id, .comm = peer, .kind = OMPTAPE_MPI_REQUEST_SEND);
    return omptape_mpi_leave(call, result);
}

/* Records a posted receive. `comm` is NULL if no message will arrive. `sender` and `tag` below 0 mean any. */
static int post_receive(struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm, int sender,
                        int tag, intptr_t where)
{
    int result = omptape_mpi_enter_and_pass(call);
    if (comm == NULL || result != OMPTAPE_MPI_SUCCESS)
        return omptape_mpi_leave(call, result);
    const uint64_t id = omptape_producer_id(call->slot);
    ADD(.handle = omptape_mpi_request_at(where), .id = id, .comm = omptape_mpi_sender(comm, sender),
        .offset = comm->offset, .tag = tag, .kind = OMPTAPE_MPI_REQUEST_RECEIVE);
    omptape_put1(call->slot, OMPTAPE_MPI_REQUEST, call->number | OMPTAPE_MPI_LEAVES,
                 OMPTAPE_MPI_RECEIVE_POSTED, id);
    return result;
}

/* Arguments: buffer, count, type, sender, tag, communicator, request. */
int omptape_mpi_irecv(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[5]);
    bool is_expected = comm != NULL && (int)call->a[3] != omptape_mpi.proc_null;
    return post_receive(call, is_expected ? comm : NULL, (int)call->a[3], (int)call->a[4], call->a[6]);
}

/* Arguments: buffer, count, type, receiver, tag; [buffer, count, type,] sender, tag; communicator, request.
 * One request stands for both messages. */
int omptape_mpi_isendrecv(struct omptape_mpi_call *call)
{
    enum { REPLACING = 9 };
    const intptr_t *a = call->a;
    const unsigned from = call->count - 4;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[from + 2]);
    const bool sends = omptape_mpi_is_sent(comm, (int)a[3]);
    const bool receives = comm != NULL && (int)a[from] != omptape_mpi.proc_null;
    const unsigned counted = call->count == REPLACING ? 1 : from - 2;
    const uint64_t bytes = omptape_mpi_bytes(omptape_mpi_count(call, counted), a[counted + 1]);
    const uint64_t sent = sends ? omptape_producer_id(call->slot) : 0;
    const uint64_t received = receives ? omptape_producer_id(call->slot) : 0;
    if (sends)
        omptape_mpi_enter_sending(call, (int)a[4], omptape_mpi_peer(comm, (int)a[3]),
                                  omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]), sent);
    else
        omptape_mpi_enter(call);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && receives) {
        omptape_mpi_progress(call, OMPTAPE_MPI_RECEIVE_POSTED, received);
        ADD(.handle = omptape_mpi_request_at(a[from + 3]), .id = received,
            .comm = comm->number | (uint64_t)(uint32_t)a[from] << 32, .offset = comm->offset,
            .tag = (int)a[from + 1], .sent = sent, .received = bytes, .paired = true,
            .kind = OMPTAPE_MPI_REQUEST_RECEIVE);
    } else if (result == OMPTAPE_MPI_SUCCESS && sends) {
        ADD(.handle = omptape_mpi_request_at(a[from + 3]), .id = sent,
            .comm = omptape_mpi_peer(comm, (int)a[3]), .kind = OMPTAPE_MPI_REQUEST_SEND);
    }
    return omptape_mpi_leave(call, result);
}

/* Arguments: buffer, count, type, message, request. */
int omptape_mpi_imrecv(struct omptape_mpi_call *call)
{
    const struct omptape_mpi_request message = omptape_mpi_requests_get(omptape_mpi_handle_at(call->a[3], 0));
    const struct omptape_mpi_comm comm = {.number = (uint32_t)message.comm, .offset = message.offset};
    bool known = message.id != 0 && message.kind == OMPTAPE_MPI_REQUEST_MESSAGE;
    if (known)
        omptape_mpi_requests_remove(&message);
    return post_receive(call, known ? &comm : NULL, -1, -1, call->a[4]);
}

int omptape_mpi_send_init(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[5]);
    int result = omptape_mpi_enter_and_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && omptape_mpi_is_sent(comm, (int)a[3]))
        ADD(.handle = omptape_mpi_request_at(a[6]), .comm = omptape_mpi_peer(comm, (int)a[3]),
            .tag = (int)a[4], .sent = omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]),
            .kind = OMPTAPE_MPI_REQUEST_SEND, .persistent = true);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_recv_init(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[5]);
    int result = omptape_mpi_enter_and_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && comm != NULL && (int)a[3] != omptape_mpi.proc_null)
        ADD(.handle = omptape_mpi_request_at(a[6]), .comm = omptape_mpi_sender(comm, (int)a[3]),
            .offset = comm->offset, .tag = (int)a[4], .kind = OMPTAPE_MPI_REQUEST_RECEIVE,
            .persistent = true);
    return omptape_mpi_leave(call, result);
}

/* Arguments: buffer, partitions, count (always MPI_Count), type, peer, tag, communicator, info, request. */
int omptape_mpi_partitioned_init(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    const bool sends = call->detail != 0;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[6]);
    int result = omptape_mpi_enter_and_pass(call);
    const bool is_valid =
        result == OMPTAPE_MPI_SUCCESS && (int)a[1] > 0 && omptape_mpi_is_sent(comm, (int)a[4]);
    const uint32_t number =
        is_valid ? omptape_mpi_comms_partitioned(call->slot, comm, (int)a[4], (int)a[5], sends) : UINT32_MAX;
    if (number != UINT32_MAX) {
        const uint64_t bytes = (uint64_t)(int)a[1] * omptape_mpi_bytes((int64_t)a[2], a[3]);
        ADD(.handle = omptape_mpi_request_at(a[8]),
            .comm = number | omptape_mpi_peer(comm, (int)a[4]) >> 32 << 32, .tag = (int)a[5],
            .parts = (uint32_t)a[1], .sent = sends ? bytes : 0, .received = sends ? 0 : bytes,
            .kind = sends ? OMPTAPE_MPI_REQUEST_SEND : OMPTAPE_MPI_REQUEST_RECEIVE, .persistent = true);
    }
    return omptape_mpi_leave(call, result);
}

static void put_send(const struct omptape_mpi_call *call, const struct omptape_mpi_request *request,
                     uint64_t id)
{
    omptape_put3(call->slot, OMPTAPE_MPI_SEND, call->number, (uint32_t)request->tag, request->comm,
                 request->sent, id);
}

/* Returns how many parts the call declares ready. The last argument is the request. */
static uint32_t ready_parts(const struct omptape_mpi_call *call)
{
    const int first = (int)call->a[0];
    const int last = (int)call->a[1];
    if (call->detail == OMPTAPE_MPI_READY_ONE)
        return 1;
    if (call->detail == OMPTAPE_MPI_READY_LIST)
        return first > 0 ? (uint32_t)first : 0;
    return last >= first ? (uint32_t)last - (uint32_t)first + 1 : 0;
}

/* The send is recorded when its last part is ready, on the thread that declares this: the receiver cannot
 * complete before. Parts are counted before MPI is called, so the last one counted is MPI's last one. */
int omptape_mpi_pready(struct omptape_mpi_call *call)
{
    struct omptape_mpi_request request;
    omptape_mpi_enter(call);
    if (omptape_mpi_requests_ready(&request, omptape_mpi_handle(call->a[call->count - 1]), ready_parts(call)))
        put_send(call, &request, request.id);
    int result = omptape_mpi_pass(call);
    return omptape_mpi_leave(call, result);
}

/* Records the start of a persistent request, before MPI may send its message. */
static void start_one(const struct omptape_mpi_call *call, intptr_t handle)
{
    struct omptape_mpi_request request = omptape_mpi_requests_get(handle);
    if (!request.persistent)
        return;
    const uint64_t id = omptape_producer_id(call->slot);
    omptape_mpi_requests_set(&request, id, false);
    if (request.kind == OMPTAPE_MPI_REQUEST_SEND && request.parts > 0)
        return;
    if (request.kind == OMPTAPE_MPI_REQUEST_SEND)
        put_send(call, &request, id);
    else
        omptape_mpi_progress(call,
                             request.kind == OMPTAPE_MPI_REQUEST_COLLECTIVE ? OMPTAPE_MPI_COLLECTIVE_POSTED
                                                                            : OMPTAPE_MPI_RECEIVE_POSTED,
                             id);
}

/* Arguments: request, or count and requests. */
int omptape_mpi_start(struct omptape_mpi_call *call)
{
    const bool several = call->count > 1;
    const int count = several ? (int)call->a[0] : 1;
    omptape_mpi_enter(call);
    for (int i = 0; call->a[several] != 0 && i < count; i++)
        start_one(call, omptape_mpi_handle_at(call->a[several], (size_t)i));
    int result = omptape_mpi_pass(call);
    return omptape_mpi_leave(call, result);
}

/* The completion shows whether the request was cancelled. */
int omptape_mpi_cancel(struct omptape_mpi_call *call)
{
    if (call->a[0] != 0) {
        struct omptape_mpi_request request = omptape_mpi_requests_get(omptape_mpi_handle_at(call->a[0], 0));
        if (request.id != 0)
            omptape_mpi_requests_set(&request, request.id, true);
    }
    return omptape_mpi_region(call);
}

/* The completion of a freed request is not reported. */
int omptape_mpi_request_free(struct omptape_mpi_call *call)
{
    if (call->a[0] != 0) {
        const struct omptape_mpi_request request =
            omptape_mpi_requests_get(omptape_mpi_handle_at(call->a[0], 0));
        if (request.id != 0 || request.persistent)
            omptape_mpi_requests_remove(&request);
        if (request.id != 0 && request.kind == OMPTAPE_MPI_REQUEST_FILE)
            return omptape_mpi_file_free_request(call, &request);
    }
    return omptape_mpi_region(call);
}
