/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds receives that complete before receives that were posted earlier. Messages match receives in the order
 * of posting (MPI 3.1, 3.5). But an archive contains a receive at its completion, possibly after later ones
 * (MPI_Waitany, requests waited for one by one). The archive is therefore read once in advance. A receive
 * overtakes others with the same communicator, tag and sender, which were posted before it and complete after
 * it. The result holds their number.
 *
 * A receive is posted at its MpiIrecvRequest, or at the begin of the blocking call. A receive of a matched
 * probe is posted at the begin of the probe. Receives that never complete are ignored. If several threads of
 * a process receive in blocking calls, the order of posting is unknown, and the order of completion is used.
 * Used by channels.h. One thread; needs some bytes for each overtaking receive.
 */
#pragma once

#include "src/archive/read/reader.h"

/* Initialised with zeros. */
struct omptape_overtaking {
    struct omptape_pairs receives; /* (location, time) -> number of overtaken receives */
    struct omptape_arena arena;
};

/* Reads the archive of `reader` with a second reader, process by process. Skips the archive if it has no
 * functions that post receives, or says that no receive overtakes (OMPTAPE_KEY_OVERTAKING). Unreadable events
 * are ignored. `beats`, unless NULL, is incremented meanwhile. Returns false if out of memory. */
bool omptape_overtaking_find(struct omptape_overtaking *overtaking, const struct omptape_reader *reader,
                             volatile uint64_t *beats);
void omptape_overtaking_free(struct omptape_overtaking *overtaking);

/* Returns the number of receives that this receive overtakes. */
static inline uint32_t omptape_overtaking_of(const struct omptape_overtaking *overtaking,
                                             const struct omptape_event *receive)
{
    const uint32_t *count = overtaking->receives.count == 0
                                ? NULL
                                : omptape_pairs_get(&overtaking->receives, receive->location, receive->time);
    return count != NULL ? *count : 0;
}
