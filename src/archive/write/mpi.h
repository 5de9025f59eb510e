/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions for events of MPI, its windows and its files, in addition to archive.h.
 */
#pragma once

#include "src/archive/write/archive.h"

/* The only I/O paradigm. */
enum { OMPTAPE_IO_PARADIGM = 0 };

/* Writes a record with the attributes that were set. `values` are the arguments of libotf2's function after
 * the time, in the same order. OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE has an additional 1 at the end. */
void omptape_archive_put_record(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                enum omptape_record_number kind, const uint64_t *values);
#define OMPTAPE_ARCHIVE_PUT(archive, events, time, kind, ...)                                                \
    omptape_archive_put_record(archive, events, time, kind, (const uint64_t[]){__VA_ARGS__})

/* Records a change of a request's state: OMPTAPE_RECORD_MPI_ISEND_COMPLETE, _IRECV_REQUEST, _REQUEST_TEST,
 * _REQUEST_CANCELLED. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_record_number kind, uint64_t request);

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time);
