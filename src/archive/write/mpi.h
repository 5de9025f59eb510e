/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI, as archive.h has the others.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_MPI_H
#define OMPTAPE_ARCHIVE_WRITE_MPI_H

#include "src/archive/write/archive.h"

/* A message. `request` counts if the event has one. */
struct omptape_archive_message {
    uint32_t peer; /* its receiver's or sender's rank in the communicator */
    OTF2_CommRef comm;
    uint32_t tag;
    uint64_t bytes;
    uint64_t request;
    bool requested;
};
void omptape_archive_mpi_send(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              const struct omptape_archive_message *message);
void omptape_archive_mpi_receive(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_archive_message *message);

/* What else becomes of a request. */
enum omptape_archive_request {
    OMPTAPE_ARCHIVE_SEND_COMPLETE = OMPTAPE_RECORD_MPI_ISEND_COMPLETE,
    OMPTAPE_ARCHIVE_RECEIVE_POSTED = OMPTAPE_RECORD_MPI_IRECV_REQUEST,
    OMPTAPE_ARCHIVE_REQUEST_TESTED = OMPTAPE_RECORD_MPI_REQUEST_TEST,
    OMPTAPE_ARCHIVE_REQUEST_CANCELLED = OMPTAPE_RECORD_MPI_REQUEST_CANCELLED
};
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_archive_request what, uint64_t request);

/* OMPTAPE_RECORD_COMM_CREATE, _DESTROY: in a collective operation that makes or frees it. */
void omptape_archive_mpi_comm_life(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, uint8_t kind, OTF2_CommRef comm);

struct omptape_archive_collective {
    uint8_t operation;
    OTF2_CommRef comm;
    uint32_t root; /* OTF2_UNDEFINED_UINT32: none */
    uint64_t sent;
    uint64_t received;
    uint64_t request; /* of one that did not block, if it did not */
    bool requested;
};
void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time);
void omptape_archive_mpi_collective_posted(struct omptape_archive *archive, struct omptape_events *events,
                                           uint64_t time, uint64_t request);
void omptape_archive_mpi_collective_end(struct omptape_archive *archive, struct omptape_events *events,
                                        uint64_t time, const struct omptape_archive_collective *collective);

#endif
