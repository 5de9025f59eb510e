/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes that were started together with this one, in an order that all of them know. It is the order
 * of MPI_COMM_WORLD. Without that it is the order of the set "mpi://WORLD" of a session that the program has
 * opened (MPI 4.0, chapter 11). Any thread.
 *
 * Nothing of a session is kept: its set is requested each time and released at once. So the program can
 * finalize its session as without omptape.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Adds an open session. Ignores it if the table is full. */
void omptape_mpi_sessions_add(intptr_t handle);

/* Removes a session that is about to be finalised. No thread uses it then. False if it was unknown. */
bool omptape_mpi_sessions_remove(intptr_t handle);

/* Sets `*used` to false if no session is open. A thread that opens a session at the same time adds it first
 * and sets `*used` afterwards. */
void omptape_mpi_sessions_end_use(atomic_bool *used);

/* Notes that MPI_COMM_WORLD exists from now on, or is about to be finalised. */
void omptape_mpi_sessions_set_world(bool exists);

/* The first returns the group of these processes and holds a lock until the second, which the same thread
 * calls soon. No message is sent. Returns false if the group is unknown. */
bool omptape_mpi_sessions_acquire_group(intptr_t *group);
void omptape_mpi_sessions_release_group(intptr_t *group);
