/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes that were started together with this one, in an order that all of them know. It is the order
 * of MPI_COMM_WORLD. Without that it is the order of the set "mpi://WORLD" of a session that the program has
 * opened (MPI 4.0, chapter 11). Any thread.
 *
 * Nothing of a session is kept: its set is requested each time and released at once. So the program can
 * finalize its session as without omptape.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_SESSIONS_H
#define OMPTAPE_CALLBACKS_MPI_SESSIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One was opened. What there is no room for is not asked. */
void omptape_mpi_sessions_add(intptr_t handle);

/* It is about to be finalised: nobody uses it any more when this is back. False: it was not known. */
bool omptape_mpi_sessions_remove(intptr_t handle);

/* MPI is not `used` any more, if none is open. Who opens one at a time adds it first, and says after that
 * that MPI is. */
void omptape_mpi_sessions_end_use(atomic_bool *used);

/* MPI_COMM_WORLD is there from now on, or is about to be finalised. */
void omptape_mpi_sessions_set_world(bool there);

/* The group of these processes, which stays usable until it is given back: soon, and by whoever took it. No
 * message is sent. False: it is not known. */
bool omptape_mpi_sessions_take_group(intptr_t *group);
void omptape_mpi_sessions_give_group(intptr_t *group);

#endif
