/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations that do not block. OTF2 says when they are begun, and only at their end on which
 * communicator; but that they have the same order on all processes is told of their begins. So each process's
 * are kept in this order until all before them have ended, and then given on to collectives.h. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_POSTED_H
#define OMPTAPE_ANALYSIS_MPI_POSTED_H

#include "src/analysis/mpi/collectives.h"

struct waits_posted {
    struct waits_collectives *collectives;
    struct omptape_pairs queues;   /* (0, process) -> what it has begun, in this order */
    struct omptape_pairs requests; /* (process, request) -> that which has not ended */
    struct omptape_arena arena;
    struct omptape_free_list free;
};

void omptape_waits_posted_free(struct waits_posted *posted);

/* OMPTAPE_EVENT_MPI_COLLECTIVE_POSTED and _LATER in this call. */
void omptape_waits_post(struct waits_posted *posted, struct waits_call *call,
                        const struct omptape_event *event);
void omptape_waits_complete(struct waits_posted *posted, struct waits_call *call,
                            const struct omptape_event *event);

#endif
