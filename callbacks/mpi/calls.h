/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One call of one of MPI's functions, on the thread that makes it, and what the families do with it
 * (src/mpi/functions.h). Each calls MPI's own function exactly once, with the program's arguments but for a
 * status where the program wants none, and returns what that returns.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_CALLS_H
#define OMPTAPE_CALLBACKS_MPI_CALLS_H

#include "buffers/producer.h"
#include "callbacks/mpi/communicators.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/real.h"
#include "callbacks/mpi/requests.h"

/* What is done with a handle by all of a communicator, as OTF2 numbers operations. */
enum omptape_mpi_on_handle { OMPTAPE_MPI_CREATE = 17, OMPTAPE_MPI_DESTROY = 18 };

struct omptape_mpi_call {
    struct omptape_slot *slot; /* of this thread */
    unsigned number;           /* enum omptape_mpi_number */
    unsigned detail;           /* of its row in the table */
    unsigned count;            /* of arguments */
    bool large;                /* counts are MPI_Count, else int */
    omptape_mpi_address *real;
    intptr_t *a;   /* the arguments */
    uint64_t site; /* return address of the program's call; 0: not known */
};
typedef int omptape_mpi_family(struct omptape_mpi_call *call);

static inline int omptape_mpi_pass(const struct omptape_mpi_call *call)
{
    return omptape_mpi_real_call(call->real, call->count, call->a);
}
/* An argument that is a count. */
static inline int64_t omptape_mpi_count(const struct omptape_mpi_call *call, unsigned index)
{
    return call->large ? (int64_t)call->a[index] : (int)call->a[index];
}
/* The request that the call put there; MPI_REQUEST_NULL: none. */
static inline intptr_t omptape_mpi_request_at(intptr_t where)
{
    return where != 0 ? omptape_mpi_handle_at(where, 0) : omptape_mpi.request_null;
}

/* Makes a communicator. Returns its handle, MPI_COMM_NULL: there is none; *result is MPI's. */
static inline intptr_t omptape_mpi_pass_making(const struct omptape_mpi_call *call, int *result)
{
    const intptr_t made = call->a[call->detail];
    *result = omptape_mpi_pass(call);
    return *result == OMPTAPE_MPI_SUCCESS && made != 0 ? omptape_mpi_handle_at(made, 0)
                                                       : omptape_mpi.comm_null;
}

/* A status for the call: the program's, or `own` where it wants none. */
static inline intptr_t omptape_mpi_status(intptr_t *argument, unsigned char own[OMPTAPE_MPI_STATUS_BYTES])
{
    if (*argument == omptape_mpi.status_ignore)
        *argument = (intptr_t)own;
    return *argument;
}

/* For whoever wonders how the process ended. */
static inline void omptape_mpi_note_use(enum omptape_mpi_use use, int error)
{
    struct omptape_shm *shm = atomic_load(&omptape_producer_shm);
    if (shm == NULL)
        return;
    atomic_store(&shm->mpi_error, error);
    atomic_store(&shm->mpi_use, (uint32_t)use);
}
static inline void omptape_mpi_enter(const struct omptape_mpi_call *call)
{
    omptape_put1(call->slot, OMPTAPE_MPI_ENTER, call->number, 0, call->site);
}

static inline int omptape_mpi_enter_and_pass(const struct omptape_mpi_call *call)
{
    omptape_mpi_enter(call);
    return omptape_mpi_pass(call);
}
/* The begin of a call that waits for one thing; the words are those of the record. */
static inline void omptape_mpi_enter_awaiting(const struct omptape_mpi_call *call,
                                              enum omptape_mpi_awaits awaits, uint64_t what, uint64_t which)
{
    omptape_put3(call->slot, OMPTAPE_MPI_ENTER, call->number, awaits, call->site, what, which);
}
/* The begin, with what is sent by the call's request. */
static inline void omptape_mpi_enter_sending(const struct omptape_mpi_call *call, int tag, uint64_t peer,
                                             uint64_t bytes, uint64_t request)
{
    const uint64_t words[] = {peer, bytes, request, call->site};
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_SEND, call->number | OMPTAPE_MPI_ENTERS, (uint32_t)tag,
                               words, sizeof(words) / sizeof(words[0]));
}
/* The begin of a call that is a collective operation of these from there on; NULL: it is none. */
static inline void omptape_mpi_enter_together(const struct omptape_mpi_call *call,
                                              const struct omptape_mpi_comm *comm,
                                              enum omptape_mpi_on_handle what)
{
    if (comm != NULL)
        omptape_put3(call->slot, OMPTAPE_MPI_ENTER, call->number | OMPTAPE_MPI_ENTERS,
                     OMPTAPE_MPI_AWAITS_COLLECTIVE, call->site, comm->number | (uint64_t)what << 32,
                     UINT32_MAX);
    else
        omptape_mpi_enter(call);
}
/* Returns `result`, with which the call ends. */
static inline int omptape_mpi_leave(const struct omptape_mpi_call *call, int result)
{
    omptape_put(call->slot, OMPTAPE_MPI_LEAVE, call->number, 0);
    return result;
}
static inline void omptape_mpi_progress(const struct omptape_mpi_call *call, enum omptape_mpi_progress what,
                                        uint64_t request)
{
    omptape_put1(call->slot, OMPTAPE_MPI_REQUEST, call->number, what, request);
}
/* Is it a message that somebody will get? */
static inline bool omptape_mpi_is_sent(const struct omptape_mpi_comm *comm, int receiver)
{
    return comm != NULL && receiver >= 0 && (uint32_t)receiver < comm->peers;
}
/* As records have it. */
static inline uint64_t omptape_mpi_peer(const struct omptape_mpi_comm *comm, int peer)
{
    return comm->number | ((uint64_t)(uint32_t)peer + comm->offset) << 32;
}

/* Sender, or any, and tag of what is to be received, as records have them. */
static inline uint64_t omptape_mpi_sender(const struct omptape_mpi_comm *comm, int sender)
{
    return sender < 0 ? comm->number | (uint64_t)UINT32_MAX << 32 : omptape_mpi_peer(comm, sender);
}
static inline uint64_t omptape_mpi_tag(int tag)
{
    return tag < 0 ? UINT32_MAX : (uint64_t)tag;
}
/* The begin of a call that waits for a message, which may come from nobody. */
static inline void omptape_mpi_enter_receiving(const struct omptape_mpi_call *call,
                                               const struct omptape_mpi_comm *comm, int sender, int tag)
{
    if (comm != NULL && sender != omptape_mpi.proc_null)
        omptape_mpi_enter_awaiting(call, OMPTAPE_MPI_AWAITS_MESSAGE, omptape_mpi_sender(comm, sender),
                                   omptape_mpi_tag(tag));
    else
        omptape_mpi_enter(call);
}

/* The function of each family: of wrappers.c what begins and ends a use of MPI; of making.c nothing but the
 * region, Abort, communicators made and freed, also with processes of other worlds; of messages.c, posting.c,
 * completion.c, collective.c, onesided.c, io.c what these are called. */
#define OMPTAPE_MPI_DECLARE(name, function) omptape_mpi_family omptape_mpi_##function;
OMPTAPE_MPI_FAMILIES(OMPTAPE_MPI_DECLARE)
#undef OMPTAPE_MPI_DECLARE

/* making.c: a request is complete by which all members have made a communicator. */
void omptape_mpi_comm_made_later(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);
/* io.c: what a request was made for was tested, or is complete: so many bytes. */
void omptape_mpi_file_test_request(const struct omptape_mpi_call *call,
                                   const struct omptape_mpi_request *request);
void omptape_mpi_file_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request, uint64_t bytes);
/* It is given back: nobody will ever tell of its bytes. */
int omptape_mpi_file_free_request(struct omptape_mpi_call *call, const struct omptape_mpi_request *request);
/* onesided.c: what a request was made for is complete here. */
void omptape_mpi_rma_end_request(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);

#endif
