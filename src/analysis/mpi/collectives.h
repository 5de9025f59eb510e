/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations of MPI: the n-th of a communicator is the n-th of each of its members (MPI 3.1, 5.1).
 * When all have been there, those wait that came before the one that they need. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_COLLECTIVES_H
#define OMPTAPE_ANALYSIS_MPI_COLLECTIVES_H

#include "src/analysis/mpi/calls.h"
#include "src/analysis/mpi/ranks.h"

struct waits_collectives {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    struct omptape_pairs counts;    /* (comm, process) -> how many it has been at */
    struct omptape_pairs instances; /* (comm, number) -> the calls of those who were there */
    struct omptape_arena arena;
    struct waits_instance *free; /* of any size */
};

void omptape_waits_collectives_free(struct waits_collectives *collectives);

/* The call takes part in an operation: OMPTAPE_EVENT_MPI_COLLECTIVE. */
void omptape_waits_collective(struct waits_collectives *collectives, struct waits_call *call,
                              const struct omptape_event *event);

#endif
