/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI: bytes.c sums up, per MPI function, the bytes that a process sends, receives, reads and writes (struct
 * analysis_mpi). It is called by the pass over the events.
 *
 * waits.c determines which process waited for which one in MPI messages and collective operations
 * (docs/report.md). It is a second pass over the events of all threads that call MPI, merged in the order of
 * time. It runs once after all processes have been read, because both ends of a message are needed.
 *
 * A call of MPI waits from its begin until the last begin that it depends on. For a receive this is the send
 * of the message, and for a send that cannot be buffered the receive. For a collective operation these are
 * the calls of the others. Memory is proportional to the number of threads, and of messages and operations
 * that are in progress at one time.
 */
#pragma once

#include "src/analysis/state.h"

/* Adds a message or a collective operation. */
void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event);

/* Counts the calls of a row, at the Leave of the one visit that they share. */
void omptape_analysis_calls(struct analysis_state *state, const struct analysis_location *location,
                            const struct omptape_event *event);

/* Returns the communicator of the processes that opened a file; OTF2_UNDEFINED_COMM for a process alone. */
uint64_t omptape_analysis_io_comm(const struct omptape_reader *reader, const struct omptape_event *event);

/* Notes that a file was opened or closed. */
void omptape_analysis_io_handle(struct analysis_state *state, const struct analysis_location *location,
                                const struct omptape_event *event);

/* Note the begin and the end of an operation on a file. The end may occur in another call. */
void omptape_analysis_io_begin(struct analysis_state *state, const struct analysis_location *location,
                               const struct omptape_event *event);
void omptape_analysis_io_complete(struct analysis_state *state, const struct analysis_location *location,
                                  const struct omptape_event *event);

/* Adds causes and each function's waiting to `state`, which must hold the sums of all processes. Reads the
 * archive again; does nothing without MPI. Sets state->mpi_incomplete if events are missing or unreadable;
 * the result is then incomplete. Sets state->mpi_unmatched for a profile, which contains no messages to
 * match. */
void omptape_mpi_waits(struct analysis_state *state);
