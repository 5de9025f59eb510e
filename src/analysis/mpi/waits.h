/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Determines which process waited for which one in MPI messages and collective operations (docs/report.md).
 * It is a second pass over the events of all threads that call MPI, merged in the order of time. It runs once
 * after all processes have been read, because both ends of a message are needed.
 *
 * A call of MPI waits from its begin until the last begin that it depends on. For a receive this is the send
 * of the message, and for a send that cannot be buffered the receive. For a collective operation these are
 * the calls of the others. Memory is proportional to the number of threads, and of messages and operations
 * that are in progress at one time.
 */
#pragma once

#include "src/analysis/state.h"

/* Adds causes and each function's waiting to `state`, which must hold the sums of all processes. Reads the
 * archive again; does nothing without MPI. Sets state->mpi_incomplete if events are missing or unreadable;
 * the result is then incomplete. Sets state->mpi_unmatched for a profile, which contains no messages to
 * match. */
void omptape_mpi_waits(struct analysis_state *state);
