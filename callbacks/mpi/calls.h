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

#include <stdbool.h>
#include <stdint.h>

/* requests.c: Requests that are under way, by MPI's handles, with what will be recorded when they complete.
 * Any thread; a request may belong to another thread as soon as MPI has returned its handle. MPIs use one
 * handle for many sends that are complete at once: as many requests are known by it. MPI also reuses a
 * handle as soon as its request is complete, perhaps on another thread and before omptape has seen that.
 * Then there are two of one handle for a moment, and the later one counts. */

enum omptape_mpi_request_kind {
    OMPTAPE_MPI_REQUEST_SEND,
    OMPTAPE_MPI_REQUEST_RECEIVE,
    OMPTAPE_MPI_REQUEST_COLLECTIVE,
    OMPTAPE_MPI_REQUEST_COMM,    /* a communicator is being made */
    OMPTAPE_MPI_REQUEST_MESSAGE, /* none, but a message that was found by a matched probe */
    OMPTAPE_MPI_REQUEST_RMA,     /* `comm`: window and rank */
    OMPTAPE_MPI_REQUEST_FILE,    /* `comm`: the file's number */
};

struct omptape_mpi_request {
    intptr_t handle;
    uint64_t id;   /* of the present use; 0: not known, or not under way */
    uint64_t sent; /* bytes; RECEIVE: id of what is sent by the same request, or 0; COMM: number of what it is
                    * made of */
    uint64_t received;
    uint64_t comm;    /* as in records, with peer (UINT32_MAX: any) or operation; COMM: its address */
    intptr_t where;   /* RMA: the window; COMM: where its handle will be */
    uint32_t offset;  /* of the ranks that statuses name (communicators.h) */
    int32_t tag;      /* or root */
    uint32_t parts;   /* of a partitioned message; 0: it is whole. RECEIVE: `received` is what comes */
    uint32_t unready; /* SEND: parts of the present use that may not be sent yet */
    uint8_t kind;
    bool persistent;
    bool cancelled; /* MPI_Cancel was called */
    bool paired; /* RECEIVE: with something that is sent; `comm`, `tag` and `received` as they were asked for
                  */
};

/* Takes room for all that follows. False: there is none. */
bool omptape_mpi_requests_begin(void);

/* Notes a request; what there is no room for is forgotten. */
void omptape_mpi_requests_add(const struct omptape_mpi_request *request);

/* The request of this handle; one with id 0 if none is known. */
void omptape_mpi_requests_find(struct omptape_mpi_request *found, intptr_t handle);
static inline struct omptape_mpi_request omptape_mpi_requests_get(intptr_t handle)
{
    struct omptape_mpi_request request;
    omptape_mpi_requests_find(&request, handle);
    return request;
}

/* Changes what is known of it: id and `cancelled`. `before` as it was found. */
void omptape_mpi_requests_set(const struct omptape_mpi_request *before, uint64_t id, bool cancelled);

/* So many more parts of what is to be sent by it are ready. True: these were the last, and it is in *found.
 */
bool omptape_mpi_requests_ready(struct omptape_mpi_request *found, intptr_t handle, uint32_t parts);

/* It is over, and its handle MPI's again. False: it was over before. */
bool omptape_mpi_requests_remove(const struct omptape_mpi_request *request);

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

/* The function of each family. wrappers.c has those that begin and end a use of MPI. making.c has those for
 * a mere region, for Abort, and for communicators made and freed, also with processes of other worlds.
 * messages.c, posting.c, completion.c, collective.c, onesided.c and io.c have the families of their names.
 * */
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
/* MPI takes its handle back: no later call reports its bytes. */
int omptape_mpi_file_free_request(struct omptape_mpi_call *call, const struct omptape_mpi_request *request);
/* onesided.c: what a request was made for is complete here. */
void omptape_mpi_rma_end_request(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);

/* polls.c: Calls that ask whether something is there, and do not wait for it: MPI_Test, MPI_Iprobe and the
 * like. A program that asks again and again does so millions of times in a second, which only means that it
 * waits. So a long row of such calls from one place that find nothing is recorded as one, with their number.
 * What finds something is recorded by itself, as are the first calls of each row. Called by the families of
 * these functions, on the thread that calls MPI. */

/* All are recorded by themselves. Set when MPI is initialised. */
extern bool omptape_mpi_polls_each;

/* A call that asks: from before MPI is called to its end. */
struct omptape_mpi_poll {
    uint64_t
        begin; /* in ticks; of one whose begin is recorded only if it finds something; 0: it is recorded */
};

/* In place of omptape_mpi_enter. */
struct omptape_mpi_poll omptape_mpi_poll_enter(const struct omptape_mpi_call *call);
/* The same of a call that asks for a message from that sender. */
struct omptape_mpi_poll omptape_mpi_poll_enter_receiving(const struct omptape_mpi_call *call,
                                                         const struct omptape_mpi_comm *comm, int sender,
                                                         int tag);
/* Should the record say what the call asks for? Only the first call of a place does, until one finds
 * something. The caller records it then. */
bool omptape_mpi_poll_tells(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll);
/* It found something: before that is recorded. */
void omptape_mpi_poll_found(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll);
/* In place of omptape_mpi_leave: for one that found something, or failed, and for one that did not. */
void omptape_mpi_poll_leave(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll, bool found);

#endif
