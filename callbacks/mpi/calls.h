/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One call of an MPI function on the calling thread, and the functions that record it, one for each family
 * (src/mpi/functions.h). Each of these calls MPI's own function exactly once, with the program's arguments,
 * and returns its result. It only replaces an ignored status by its own.
 */
#pragma once

#include "buffers/producer.h"
#include "callbacks/mpi/communicators.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/real.h"

#include <stdbool.h>
#include <stdint.h>

/* Pending requests by MPI's handles, with what is recorded at their completion (requests.c). Any thread may
 * use a request as soon as MPI has returned its handle.
 *
 * MPI may use one handle for many sends that are complete at once; each has an entry. MPI also reuses the
 * handle of a complete request, perhaps on another thread and before omptape has noticed. Then two entries
 * have the same handle for a moment, and the later one is used. */

enum omptape_mpi_request_kind {
    OMPTAPE_MPI_REQUEST_SEND,
    OMPTAPE_MPI_REQUEST_RECEIVE,
    OMPTAPE_MPI_REQUEST_COLLECTIVE,
    OMPTAPE_MPI_REQUEST_COMM,    /* A communicator is being created. */
    OMPTAPE_MPI_REQUEST_MESSAGE, /* Not a request, but a message found by a matched probe. */
    OMPTAPE_MPI_REQUEST_RMA,     /* `comm` holds window and rank. */
    OMPTAPE_MPI_REQUEST_FILE,    /* `comm` holds the file's number. */
};

struct omptape_mpi_request {
    intptr_t handle;
    /* Identity of the present use; 0 if the request is unknown or not active. */
    uint64_t id;
    /* SEND: bytes. RECEIVE: identity of the message sent by the request, or 0. COMM: the parent's number. */
    uint64_t sent;
    uint64_t received;
    /* Communicator in the lower half, peer (UINT32_MAX: any) or operation in the upper half, as in records.
     * COMM: the address of the new communicator's entry. */
    uint64_t comm;
    /* RMA: the window's entry. COMM: the address where MPI stores the new handle. */
    intptr_t where;
    uint32_t offset; /* Added to the ranks in statuses (communicators.h). */
    int32_t tag;     /* The tag, or the root. */
    /* Parts of a partitioned message; 0 if it is none. For RECEIVE, `received` is then its size. */
    uint32_t parts;
    uint32_t unready; /* SEND: how many parts of the present use are not ready yet. */
    uint8_t kind;
    bool persistent;
    bool cancelled; /* MPI_Cancel was called. */
    /* RECEIVE: the same request also sends a message. `comm`, `tag` and `received` are arguments. */
    bool paired;
};

/* Allocates the table. Returns false if out of memory. */
bool omptape_mpi_requests_alloc(void);

/* Adds a request. Drops it if its part of the table is full. */
void omptape_mpi_requests_add(const struct omptape_mpi_request *request);
#define OMPTAPE_MPI_ADD_REQUEST(...) omptape_mpi_requests_add(&(struct omptape_mpi_request){__VA_ARGS__})

/* Copies the request of this handle to `*found`; its id is 0 if none is known. */
void omptape_mpi_requests_find(struct omptape_mpi_request *found, intptr_t handle);
static inline struct omptape_mpi_request omptape_mpi_requests_get(intptr_t handle)
{
    struct omptape_mpi_request request;
    omptape_mpi_requests_find(&request, handle);
    return request;
}

/* Changes id and `cancelled` of a request, if it is still as in `before`. */
void omptape_mpi_requests_set(const struct omptape_mpi_request *before, uint64_t id, bool cancelled);

/* Marks `parts` more parts of a send as ready. Returns true and sets `*found` if these were the last ones. */
bool omptape_mpi_requests_ready(struct omptape_mpi_request *found, intptr_t handle, uint32_t parts);

/* Removes a completed request, whose handle MPI may reuse. Returns false if it was already removed. */
bool omptape_mpi_requests_remove(const struct omptape_mpi_request *request);

/* What all processes of a communicator do with a handle, by OTF2's numbers of collective operations. */
enum omptape_mpi_on_handle { OMPTAPE_MPI_CREATE = 17, OMPTAPE_MPI_DESTROY = 18 };

struct omptape_mpi_call {
    struct omptape_slot *slot;
    unsigned number; /* enum omptape_mpi_number */
    unsigned detail; /* The `detail` of its row in the table of functions. */
    unsigned count;
    bool large; /* True if counts are MPI_Count, false if they are int. */
    omptape_mpi_address *real;
    intptr_t *a;
    uint64_t site; /* Return address of the program's call; 0 if unknown. */
};
typedef int omptape_mpi_family(struct omptape_mpi_call *call);

static inline int omptape_mpi_pass(const struct omptape_mpi_call *call)
{
    return omptape_mpi_real_call(call->real, call->count, call->a);
}
/* Returns the argument `index`, a count. */
static inline int64_t omptape_mpi_count(const struct omptape_mpi_call *call, unsigned index)
{
    return call->large ? (int64_t)call->a[index] : (int)call->a[index];
}
/* Returns the request that the call stored at `where`, or MPI_REQUEST_NULL if there is none. */
static inline intptr_t omptape_mpi_request_at(intptr_t where)
{
    return where != 0 ? omptape_mpi_handle_at(where, 0) : omptape_mpi.request_null;
}

/* Calls the MPI function that creates a communicator. `*result` receives MPI's result. Returns the new
 * handle, or MPI_COMM_NULL if there is none. */
static inline intptr_t omptape_mpi_pass_creating(const struct omptape_mpi_call *call, int *result)
{
    const intptr_t made = call->a[call->detail];
    *result = omptape_mpi_pass(call);
    return *result == OMPTAPE_MPI_SUCCESS && made != 0 ? omptape_mpi_handle_at(made, 0)
                                                       : omptape_mpi.comm_null;
}

/* Returns the status to read: the program's, or `own`, which replaces an ignored status argument. */
static inline intptr_t omptape_mpi_status(intptr_t *argument, unsigned char own[OMPTAPE_MPI_STATUS_BYTES])
{
    if (*argument == omptape_mpi.status_ignore)
        *argument = (intptr_t)own;
    return *argument;
}

/* Stores the state of MPI's use in shared memory, from which the end of the process is explained. */
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
/* Records the begin of a call that waits for one thing. The words are those of the record. */
static inline void omptape_mpi_enter_awaiting(const struct omptape_mpi_call *call,
                                              enum omptape_mpi_awaits awaits, uint64_t what, uint64_t which)
{
    omptape_put3(call->slot, OMPTAPE_MPI_ENTER, call->number, awaits, call->site, what, which);
}
/* Records the begin of a call and the message that its request sends. */
static inline void omptape_mpi_enter_sending(const struct omptape_mpi_call *call, int tag, uint64_t peer,
                                             uint64_t bytes, uint64_t request)
{
    const uint64_t words[] = {peer, bytes, request, call->site};
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_SEND, call->number | OMPTAPE_MPI_ENTERS, (uint32_t)tag,
                               words, sizeof(words) / sizeof(words[0]));
}
/* Records the begin of a collective operation on `comm`, or a plain begin if that is NULL. */
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
/* Records the end of the call. Returns `result`. */
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
/* Returns true if the message has a receiver; false for MPI_PROC_NULL or an unknown communicator. */
static inline bool omptape_mpi_is_sent(const struct omptape_mpi_comm *comm, int receiver)
{
    return comm != NULL && receiver >= 0 && (uint32_t)receiver < comm->peers;
}
/* Returns communicator and peer as one word of a record. */
static inline uint64_t omptape_mpi_peer(const struct omptape_mpi_comm *comm, int peer)
{
    return comm->number | ((uint64_t)(uint32_t)peer + comm->offset) << 32;
}

/* These return the sender (or any) and the tag of a receive as words of a record. */
static inline uint64_t omptape_mpi_sender(const struct omptape_mpi_comm *comm, int sender)
{
    return sender < 0 ? comm->number | (uint64_t)UINT32_MAX << 32 : omptape_mpi_peer(comm, sender);
}
static inline uint64_t omptape_mpi_tag(int tag)
{
    return tag < 0 ? UINT32_MAX : (uint64_t)tag;
}
/* Records the begin of a call that waits for a message; a plain begin for MPI_PROC_NULL. */
static inline void omptape_mpi_enter_receiving(const struct omptape_mpi_call *call,
                                               const struct omptape_mpi_comm *comm, int sender, int tag)
{
    if (comm != NULL && sender != omptape_mpi.proc_null)
        omptape_mpi_enter_awaiting(call, OMPTAPE_MPI_AWAITS_MESSAGE, omptape_mpi_sender(comm, sender),
                                   omptape_mpi_tag(tag));
    else
        omptape_mpi_enter(call);
}

/* The functions of all families. Those that begin and end a use of MPI are in wrappers.c. Those for plain
 * regions, MPI_Abort and communicators, also across worlds, are in communicator_calls.c. The others are in
 * messages.c, posting.c, completion.c, collective.c, onesided.c and io.c. */
#define OMPTAPE_MPI_DECLARE(name, function) omptape_mpi_family omptape_mpi_##function;
OMPTAPE_MPI_FAMILIES(OMPTAPE_MPI_DECLARE)
#undef OMPTAPE_MPI_DECLARE

/* Records a communicator whose creation by a request is complete (communicator_calls.c). */
void omptape_mpi_comm_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request);
/* Record that a request on a file was tested, or is complete with `bytes` bytes (io.c). */
void omptape_mpi_file_test_request(const struct omptape_mpi_call *call,
                                   const struct omptape_mpi_request *request);
void omptape_mpi_file_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request, uint64_t bytes);
/* Records a request on a file as complete and frees it. No later call reports its bytes. */
int omptape_mpi_file_free_request(struct omptape_mpi_call *call, const struct omptape_mpi_request *request);
/* Records that a one-sided operation with a request is locally complete (onesided.c). */
void omptape_mpi_rma_end_request(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);

/* Calls that test without waiting, such as MPI_Test and MPI_Iprobe (polls.c). A polling program calls them
 * millions of times in a second, which only means that it waits. So a long row of unsuccessful calls from one
 * call site is recorded as one call with their count. Successful calls and the first calls of each row are
 * recorded individually. Called by the families of these functions on the calling thread. */

/* True if all polls are recorded individually. Set when MPI is initialised. */
extern bool omptape_mpi_polls_each;

/* The state of a poll from before MPI is called until its end. */
struct omptape_mpi_poll {
    /* Time (ticks) of a begin that is recorded if the call succeeds; 0 if it is already recorded. */
    uint64_t begin;
};

/* Replaces omptape_mpi_enter for a poll. */
struct omptape_mpi_poll omptape_mpi_poll_enter(const struct omptape_mpi_call *call);
/* The same for a poll that looks for a message from `sender`. */
struct omptape_mpi_poll omptape_mpi_poll_enter_receiving(const struct omptape_mpi_call *call,
                                                         const struct omptape_mpi_comm *comm, int sender,
                                                         int tag);
/* True if the caller must record what it tests. A call site's first call is to, until a poll succeeds. */
bool omptape_mpi_poll_must_describe(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll);
/* Records the begin of a successful poll, before the caller records what it found. */
void omptape_mpi_poll_found(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll);
/* Replaces omptape_mpi_leave for a poll. `found` is true if it was successful or an error. */
void omptape_mpi_poll_leave(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll, bool found);
