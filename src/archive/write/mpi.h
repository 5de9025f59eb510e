/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI, its windows and its files, as archive.h has the others.
 */
#pragma once

#include "src/archive/write/archive.h"

/* The one paradigm of input and output. */
enum { OMPTAPE_IO_PARADIGM = 0 };

/* A record with the attributes that were set, as libotf2's function for it has its values: those behind the
 * time, in the same order. OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE has a 1 behind them. */
void omptape_archive_put_record(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                enum omptape_record_number kind, const uint64_t *values);
#define OMPTAPE_ARCHIVE_PUT(archive, events, time, kind, ...)                                                \
    omptape_archive_put_record(archive, events, time, kind, (const uint64_t[]){__VA_ARGS__})

/* What becomes of a request: OMPTAPE_RECORD_MPI_ISEND_COMPLETE, _IRECV_REQUEST, _REQUEST_TEST,
 * _REQUEST_CANCELLED. */
void omptape_archive_mpi_request(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, enum omptape_record_number kind, uint64_t request);

void omptape_archive_mpi_collective_begin(struct omptape_archive *archive, struct omptape_events *events,
                                          uint64_t time);
