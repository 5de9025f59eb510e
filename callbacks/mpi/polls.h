/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that ask whether something is there, and do not wait for it: MPI_Test, MPI_Iprobe and their like. A
 * program that asks again and again does so millions of times in a second, which says no more than that it
 * waits. So a long row of calls from one place, one right after the other, that find nothing is recorded as
 * one, with how many they were. What finds something is recorded by itself, as are the first of each row.
 * Called by the families of these functions, on the thread that calls MPI.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_POLLS_H
#define OMPTAPE_CALLBACKS_MPI_POLLS_H

#include "callbacks/mpi/calls.h"

/* All are recorded by themselves. Set when MPI is initialised. */
extern bool omptape_mpi_polls_each;

/* A call that asks: from before MPI is called to its end. */
struct omptape_mpi_poll {
    uint64_t
        begin; /* in ticks; of one whose begin is recorded only if it finds something; 0: it is recorded */
};

/* In place of omptape_mpi_enter. */
struct omptape_mpi_poll omptape_mpi_poll_enter(const struct omptape_mpi_call *call);
/* The same of a call that asks for a message from that sender. */
struct omptape_mpi_poll omptape_mpi_poll_enter_receiving(const struct omptape_mpi_call *call,
                                                         const struct omptape_mpi_comm *comm, int sender,
                                                         int tag);
/* Should the record say what the call asks for? Only the first call of a place does, until one finds
 * something. The caller records it then. */
bool omptape_mpi_poll_tells(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll);
/* It found something: before that is recorded. */
void omptape_mpi_poll_found(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll);
/* In place of omptape_mpi_leave: for one that found something, or failed, and for one that did not. */
void omptape_mpi_poll_leave(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll, bool found);

#endif
