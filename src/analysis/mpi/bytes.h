/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process sends and gets by MPI, and what of files it reads and writes, by the function that it calls
 * (struct analysis_mpi). Who waited for whom is found when all processes have been read (waits.h). Called by
 * the pass.
 */
#pragma once

#include "src/analysis/state.h"

/* A message or a collective operation. */
void omptape_analysis_message(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event);

/* The communicator of those who have a file open together; OTF2_UNDEFINED_COMM: nobody knows of others. */
uint64_t omptape_analysis_io_comm(const struct omptape_reader *reader, const struct omptape_event *event);

/* A file is opened or closed. */
void omptape_analysis_io_handle(struct analysis_state *state, const struct analysis_location *location,
                                const struct omptape_event *event);

/* An operation on a file begins; it ends, perhaps in another call. */
void omptape_analysis_io_begin(struct analysis_state *state, const struct analysis_location *location,
                               const struct omptape_event *event);
void omptape_analysis_io_complete(struct analysis_state *state, const struct analysis_location *location,
                                  const struct omptape_event *event);
