/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up, per MPI function, the bytes that a process sends, receives, reads and writes (struct
 * analysis_mpi). Called by the pass over the events. Who waited for whom, waits.h finds later.
 */
#pragma once

#include "src/analysis/state.h"

/* Adds a message or a collective operation. */
void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event);

/* Returns the communicator of the processes that opened a file together; OTF2_UNDEFINED_COMM if the process
 * opened it alone. */
uint64_t omptape_analysis_io_comm(const struct omptape_reader *reader, const struct omptape_event *event);

/* Notes that a file was opened or closed. */
void omptape_analysis_io_handle(struct analysis_state *state, const struct analysis_location *location,
                                const struct omptape_event *event);

/* Note the begin and the end of an operation on a file. The end may occur in another call. */
void omptape_analysis_io_begin(struct analysis_state *state, const struct analysis_location *location,
                               const struct omptape_event *event);
void omptape_analysis_io_complete(struct analysis_state *state, const struct analysis_location *location,
                                  const struct omptape_event *event);
