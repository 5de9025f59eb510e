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
#include "callbacks/mpi/windows.h"

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
static inline void omptape_mpi_leave(const struct omptape_mpi_call *call)
{
    omptape_put(call->slot, OMPTAPE_MPI_LEAVE, call->number, 0);
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

/* making.c: nothing but the region; Abort; communicators made and freed. */
omptape_mpi_family omptape_mpi_region;
omptape_mpi_family omptape_mpi_abort;
omptape_mpi_family omptape_mpi_comm_dup;
omptape_mpi_family omptape_mpi_comm_idup;
omptape_mpi_family omptape_mpi_comm_new;
omptape_mpi_family omptape_mpi_comm_of_group;
omptape_mpi_family omptape_mpi_comm_of_groups;
omptape_mpi_family omptape_mpi_comm_inter;
omptape_mpi_family omptape_mpi_comm_free;
/* All members of the communicator `on` have made what the handle stands for: `flags` as the record has them.
 */
void omptape_mpi_comm_made(const struct omptape_mpi_call *call, uint32_t on, intptr_t handle, unsigned flags);
/* The same by a request, which is complete. */
void omptape_mpi_comm_made_later(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);
/* meetings.c: with processes of other worlds. */
omptape_mpi_family omptape_mpi_comm_meet;
omptape_mpi_family omptape_mpi_comm_join;
omptape_mpi_family omptape_mpi_comm_parent;
/* messages.c: sent and received at once. */
omptape_mpi_family omptape_mpi_send;
omptape_mpi_family omptape_mpi_recv;
omptape_mpi_family omptape_mpi_probe;
omptape_mpi_family omptape_mpi_sendrecv;
omptape_mpi_family omptape_mpi_sendrecv_replace;
omptape_mpi_family omptape_mpi_mprobe;
omptape_mpi_family omptape_mpi_iprobe;
omptape_mpi_family omptape_mpi_improbe;
omptape_mpi_family omptape_mpi_mrecv;
/* posting.c: requests made, started, cancelled, freed. */
omptape_mpi_family omptape_mpi_isend;
omptape_mpi_family omptape_mpi_irecv;
omptape_mpi_family omptape_mpi_isendrecv;
omptape_mpi_family omptape_mpi_imrecv;
omptape_mpi_family omptape_mpi_send_init;
omptape_mpi_family omptape_mpi_recv_init;
omptape_mpi_family omptape_mpi_partitioned_init;
omptape_mpi_family omptape_mpi_pready;
omptape_mpi_family omptape_mpi_start;
omptape_mpi_family omptape_mpi_startall;
omptape_mpi_family omptape_mpi_cancel;
omptape_mpi_family omptape_mpi_request_free;
/* completion.c: requests waited for. */
omptape_mpi_family omptape_mpi_wait;
omptape_mpi_family omptape_mpi_waitany;
omptape_mpi_family omptape_mpi_waitall;
omptape_mpi_family omptape_mpi_waitsome;
omptape_mpi_family omptape_mpi_test;
omptape_mpi_family omptape_mpi_testany;
omptape_mpi_family omptape_mpi_testall;
omptape_mpi_family omptape_mpi_get_status;
/* collective.c. */
omptape_mpi_family omptape_mpi_collective;
omptape_mpi_family omptape_mpi_icollective;
omptape_mpi_family omptape_mpi_collective_init;
/* onesided.c: windows, and what is done by them. */
omptape_mpi_family omptape_mpi_win_new;
omptape_mpi_family omptape_mpi_win_free;
omptape_mpi_family omptape_mpi_win_fence;
omptape_mpi_family omptape_mpi_win_lock;
omptape_mpi_family omptape_mpi_win_unlock;
omptape_mpi_family omptape_mpi_win_lock_all;
omptape_mpi_family omptape_mpi_win_unlock_all;
omptape_mpi_family omptape_mpi_win_flush;
omptape_mpi_family omptape_mpi_win_flush_all;
omptape_mpi_family omptape_mpi_win_group;
omptape_mpi_family omptape_mpi_win_complete;
omptape_mpi_family omptape_mpi_win_wait;
omptape_mpi_family omptape_mpi_win_sync;
omptape_mpi_family omptape_mpi_rma;
/* io.c: files, and what is read and written. */
omptape_mpi_family omptape_mpi_file_open;
omptape_mpi_family omptape_mpi_file_close;
omptape_mpi_family omptape_mpi_file_delete;
omptape_mpi_family omptape_mpi_file_seek;
omptape_mpi_family omptape_mpi_file_access;
omptape_mpi_family omptape_mpi_file_iaccess;
omptape_mpi_family omptape_mpi_file_begin;
omptape_mpi_family omptape_mpi_file_end;
/* What a request was made for was tested, or is complete: so many bytes. */
void omptape_mpi_file_test_request(const struct omptape_mpi_call *call,
                                   const struct omptape_mpi_request *request);
void omptape_mpi_file_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request, uint64_t bytes);
/* It is given back: nobody will ever tell of its bytes. */
int omptape_mpi_file_free_request(struct omptape_mpi_call *call, const struct omptape_mpi_request *request);
/* What a request was made for is complete here. */
void omptape_mpi_rma_end_request(const struct omptape_mpi_call *call,
                                 const struct omptape_mpi_request *request);

#endif
