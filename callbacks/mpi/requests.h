/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests that are under way, by MPI's handles: what will be recorded of them when they complete. Any
 * thread; a request is another thread's as soon as MPI has given its handle out.
 *
 * MPIs give out one handle for many sends that are complete at once: as many requests are known by it. And
 * MPI gives a handle out again as soon as its request is complete, perhaps to another thread, and before we
 * have heard of that: then there are two of one handle for a moment, and the later one counts.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_REQUESTS_H
#define OMPTAPE_CALLBACKS_MPI_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
