/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI that never ended: for which processes they wait, when all events went by. For waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_ENDS_H
#define OMPTAPE_ANALYSIS_MPI_ENDS_H

#include "src/analysis/mpi/collectives.h"
#include "src/replay/channels.h"

/* What a call, or a request that it waits for, needs. */
struct waits_wanted {
    bool is_known;
    uint64_t request;   /* OMPTAPE_EVENT_NO_REQUEST: the call itself */
    bool sends;         /* a receive of what it sends; else a message, */
    bool is_collective; /* ...or others in an operation */
    bool has_rank;      /* sender, receiver, root, or rank of a window; else any */
    bool has_tag;
    uint64_t comm;
    uint64_t rank;
    uint64_t tag;
    uint64_t operation; /* OTF2_CollectiveOp */
};

struct waits_ends {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    const struct omptape_channels *channels;
    const struct waits_collectives *collectives;
    struct omptape_pairs wants;  /* (0, location) -> what its last call that told of it wants */
    struct omptape_pairs open;   /* (process, location) -> the same, of calls that never ended */
    struct omptape_pairs locks;  /* (comm, process) -> so many locks of windows on it that it has */
    struct omptape_pairs groups; /* (step, process) -> the group that it began an epoch with */
    struct omptape_arena arena;
};

void omptape_waits_ends_free(struct waits_ends *ends);

/* What the event's attributes say that is waited for. */
struct waits_wanted omptape_waits_wanted(const struct analysis_state *state,
                                         const struct omptape_event *event);
/* The call wants this, too. */
void omptape_waits_end_wants(struct waits_ends *ends, const struct waits_call *call,
                             const struct waits_wanted *wanted);
/* The call did not come to its end. */
void omptape_waits_end_open(struct waits_ends *ends, const struct waits_call *call);
/* OMPTAPE_EVENT_RMA_LOCK or _UNLOCK. */
void omptape_waits_end_lock(struct waits_ends *ends, const struct waits_call *call,
                            const struct omptape_event *event);

/* OMPTAPE_EVENT_RMA_GROUP. */
void omptape_waits_end_group(struct waits_ends *ends, const struct waits_call *call,
                             const struct omptape_event *event);

/* Who waits for whom gets into the state's `opens`. */
void omptape_waits_ends_tell(struct waits_ends *ends);

#endif
