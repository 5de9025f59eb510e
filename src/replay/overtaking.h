/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives that are complete before others which were posted earlier. Messages arrive in the order in which
 * receives are posted (MPI 3.1, 3.5). But an archive has a receive only where it is complete, perhaps after
 * later ones (MPI_Waitany, requests waited for one by one). So the archive is read once in advance. For each
 * such receive the number of others is kept that were posted before it and are complete after it. These have
 * the same communicator, tag and sender.
 *
 * A receive is posted at its MpiIrecvRequest, or at the begin of the call that blocks. One that a matched
 * probe found is posted at the begin of the probe. One that never ends belongs nowhere. Several threads of a
 * process may receive in calls that block. Only MPI knows the order in which these were posted, so the order
 * of completion is taken. For channels.h. One thread; memory: some bytes for each such receive.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_OVERTAKING_H
#define OMPTAPE_ANALYSIS_MPI_OVERTAKING_H

#include "src/archive/read/reader.h"

/* All zeros is empty. */
struct omptape_overtaking {
    struct omptape_pairs receives; /* (location, time) -> how many it overtakes */
    struct omptape_arena arena;
};

/* Reads the archive of `reader` by a reader of its own, process by process. It does so if the archive has
 * functions that post receives and does not say itself that there are no such receives
 * (OMPTAPE_KEY_OVERTAKING). What cannot be read is not known. `beats`: counted up as it goes on, or NULL.
 * False: no memory. */
bool omptape_overtaking_learn(struct omptape_overtaking *overtaking, const struct omptape_reader *reader,
                              volatile uint64_t *beats);
void omptape_overtaking_free(struct omptape_overtaking *overtaking);

/* How many this receive overtakes. */
static inline uint32_t omptape_overtaking_of(const struct omptape_overtaking *overtaking,
                                             const struct omptape_event *receive)
{
    const uint32_t *count = overtaking->receives.count == 0
                                ? NULL
                                : omptape_pairs_get(&overtaking->receives, receive->location, receive->time);
    return count != NULL ? *count : 0;
}

#endif
