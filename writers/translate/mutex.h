/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates locks, nest locks, critical, atomic and ordered.
 */
#pragma once

#include "src/core/hash.h"
#include "writers/state/writer.h"

struct omptape_locks {
    struct omptape_hash by_id; /* Locks by wait id. */
    uint32_t next;
};

/* Called if another record comes from a location that requested a lock: it did not get it (a failed test). */
void omptape_mutex_cancel_request(struct omptape_writer *writer, struct omptape_location *location,
                                  struct omptape_open_region *request);

/* Called when the trace ends and the location's innermost open region is about to be left. If this region
 * requests a lock, adds the lock's number to the attributes of its Leave. */
void omptape_mutex_write_awaited(struct omptape_writer *writer, const struct omptape_location *location);

/* Lists the locks that routines acquired by the locations that hold them. Walks all locks once. The lists are
 * valid until the next record is translated. */
void omptape_mutex_list_held(struct omptape_writer *writer);

/* Repeats for an observer that the location holds these locks. Called after omptape_mutex_list_held. */
void omptape_mutex_repeat_routines(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time);

/* The same for the lock of a critical, atomic or ordered region, before its Enter. */
void omptape_mutex_repeat_hold(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_open_region *hold, uint64_t time);

/* Called when another thread takes over the location. */
void omptape_mutex_change_thread(struct omptape_location *location);

/* Shows all locks of the location as released, because the time of their release is unknown. */
void omptape_mutex_release_all(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time);
