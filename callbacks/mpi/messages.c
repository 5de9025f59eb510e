/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families of blocking sends and receives, and of probes.
 */
#include "callbacks/mpi/calls.h"

static void put_sent(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm, int receiver,
                     int tag, uint64_t bytes)
{
    if (omptape_mpi_is_sent(comm, receiver))
        omptape_put3(call->slot, OMPTAPE_MPI_SEND, call->number | OMPTAPE_MPI_ENTERS, (uint32_t)tag,
                     omptape_mpi_peer(comm, receiver), bytes, call->site);
    else
        omptape_mpi_enter(call);
}

/* Records the begin of a call that sends and receives. Arguments `to` and `from` are the indices of receiver
 * and sender; each is followed by its tag. */
static void put_exchanged(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm,
                          unsigned to, unsigned from, uint64_t bytes)
{
    const intptr_t *a = call->a;
    const int receiver = (int)a[to];
    const int sender = (int)a[from];
    if (!omptape_mpi_is_sent(comm, receiver)) {
        omptape_mpi_enter_receiving(call, comm, sender, (int)a[from + 1]);
    } else if (sender == omptape_mpi.proc_null) {
        put_sent(call, comm, receiver, (int)a[to + 1], bytes);
    } else {
        const uint64_t words[] = {omptape_mpi_peer(comm, receiver), bytes, omptape_mpi_sender(comm, sender),
                                  omptape_mpi_tag((int)a[from + 1]), call->site};
        omptape_producer_put_words(call->slot, OMPTAPE_MPI_SEND, call->number | OMPTAPE_MPI_ENTERS,
                                   (uint32_t)a[to + 1], words, sizeof(words) / sizeof(words[0]));
    }
}

/* Records the end of the call with the received message. */
static void put_received(const struct omptape_mpi_call *call, const struct omptape_mpi_comm *comm, int result,
                         intptr_t status)
{
    struct omptape_mpi_message message;
    if (comm == NULL || result != OMPTAPE_MPI_SUCCESS ||
        (message = omptape_mpi_message_at(status, 0), message.source < 0))
        (void)omptape_mpi_leave(call, result);
    else
        omptape_put2(call->slot, OMPTAPE_MPI_RECEIVE, call->number | OMPTAPE_MPI_LEAVES,
                     (uint32_t)message.tag, omptape_mpi_peer(comm, message.source), message.bytes);
}

/* Arguments: buffer, count, type, receiver, tag, communicator. */
int omptape_mpi_send(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    put_sent(call, omptape_mpi_comms_find(a[5]), (int)a[3], (int)a[4],
             omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]));
    int result = omptape_mpi_pass(call);
    return omptape_mpi_leave(call, result);
}

/* Arguments: buffer, count, type, sender, tag, communicator, status. */
int omptape_mpi_recv(struct omptape_mpi_call *call)
{
    _Alignas(8) unsigned char own[OMPTAPE_MPI_STATUS_BYTES];
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(call->a[5]);
    const intptr_t status = omptape_mpi_status(&call->a[6], own);
    omptape_mpi_enter_receiving(call, comm, (int)call->a[3], (int)call->a[4]);
    int result = omptape_mpi_pass(call);
    put_received(call, comm, result, status);
    return result;
}

/* Arguments: buffer, count, type, receiver, tag; [buffer, count, type,] sender, tag; communicator, status. */
int omptape_mpi_sendrecv(struct omptape_mpi_call *call)
{
    _Alignas(8) unsigned char own[OMPTAPE_MPI_STATUS_BYTES];
    const intptr_t *a = call->a;
    const unsigned from = call->count - 4;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[from + 2]);
    const intptr_t status = omptape_mpi_status(&call->a[from + 3], own);
    put_exchanged(call, comm, 3, from, omptape_mpi_bytes(omptape_mpi_count(call, 1), a[2]));
    int result = omptape_mpi_pass(call);
    put_received(call, comm, result, status);
    return result;
}

/* Notes a message found by a matched probe, until it is received. */
static void note_message(intptr_t comm_argument, intptr_t where)
{
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(comm_argument);
    const intptr_t handle = where != 0 ? omptape_mpi_handle_at(where, 0) : omptape_mpi.message_null;
    if (comm != NULL && handle != omptape_mpi.message_null && handle != omptape_mpi.message_no_proc)
        OMPTAPE_MPI_ADD_REQUEST(.handle = handle, .id = 1, .comm = comm->number, .offset = comm->offset,
                                .kind = OMPTAPE_MPI_REQUEST_MESSAGE);
}

/* Arguments: sender, tag, communicator, [message,] status. */
int omptape_mpi_probe(struct omptape_mpi_call *call)
{
    omptape_mpi_enter_receiving(call, omptape_mpi_comms_find(call->a[2]), (int)call->a[0], (int)call->a[1]);
    int result = omptape_mpi_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && call->number == OMPTAPE_CALL_MPI_Mprobe)
        note_message(call->a[2], call->a[3]);
    return omptape_mpi_leave(call, result);
}

/* Arguments: sender, tag, communicator, flag, [message,] status. */
int omptape_mpi_iprobe(struct omptape_mpi_call *call)
{
    struct omptape_mpi_poll poll = omptape_mpi_poll_enter_receiving(call, omptape_mpi_comms_find(call->a[2]),
                                                                    (int)call->a[0], (int)call->a[1]);
    int result = omptape_mpi_pass(call);
    const bool found = result != OMPTAPE_MPI_SUCCESS || *(const int *)call->a[3] != 0;
    if (found && result == OMPTAPE_MPI_SUCCESS && call->number == OMPTAPE_CALL_MPI_Improbe)
        note_message(call->a[2], call->a[4]);
    omptape_mpi_poll_leave(call, &poll, found);
    return result;
}

/* Arguments: buffer, count, type, message, status. */
int omptape_mpi_mrecv(struct omptape_mpi_call *call)
{
    _Alignas(8) unsigned char own[OMPTAPE_MPI_STATUS_BYTES];
    const intptr_t status = omptape_mpi_status(&call->a[4], own);
    const struct omptape_mpi_request message = omptape_mpi_requests_get(omptape_mpi_handle_at(call->a[3], 0));
    struct omptape_mpi_comm comm = {.number = (uint32_t)message.comm, .offset = message.offset};
    bool known = message.id != 0 && message.kind == OMPTAPE_MPI_REQUEST_MESSAGE;
    omptape_mpi_enter(call);
    if (known)
        omptape_mpi_requests_remove(&message);
    int result = omptape_mpi_pass(call);
    put_received(call, known ? &comm : NULL, result, status);
    return result;
}
