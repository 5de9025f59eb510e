/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows that processes synchronise among themselves: the n-th epoch in which one has access to another one
 * is the n-th in which that one is exposed to it (MPI 3.1, 11.5.2), and what an exclusive lock keeps out
 * waits until it is given back (11.5.3). What all do together, as a fence, is collectives.h's. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_EPOCHS_H
#define OMPTAPE_ANALYSIS_MPI_EPOCHS_H

#include "src/analysis/mpi/calls.h"
#include "src/replay/ranks.h"

struct waits_epochs {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    struct omptape_pairs pairs; /* (window and who has access, who is exposed) -> waits_epoch, the oldest */
    struct omptape_pairs locks; /* (window, rank) -> waits_lock */
    struct omptape_pairs held;  /* (window and rank, process) -> waits_held */
    struct omptape_pairs under_way; /* (process, operation) -> 2 + 2 * its rank, + 1 if it gets data */
    struct omptape_arena arena;
    struct omptape_free_list free;
};

void omptape_waits_epochs_free(struct waits_epochs *epochs);

/* OMPTAPE_EVENT_RMA_GROUP in this call: a step of an epoch with each of the group. */
void omptape_waits_epoch_step(struct waits_epochs *epochs, struct waits_call *call,
                              const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_LOCK and _UNLOCK in this call. */
void omptape_waits_lock(struct waits_epochs *epochs, struct waits_call *call,
                        const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_OPERATION and _COMPLETE in this call. */
void omptape_waits_operation(struct waits_epochs *epochs, const struct waits_call *call,
                             const struct omptape_event *event);
void omptape_waits_operation_end(struct waits_epochs *epochs, struct waits_call *call,
                                 const struct omptape_event *event);

#endif
