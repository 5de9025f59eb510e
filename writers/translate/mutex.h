/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of locks, nest locks, critical, atomic and ordered.
 */
#pragma once

#include "src/core/hash.h"
#include "writers/state/writer.h"

struct omptape_locks {
    struct omptape_hash by_id; /* by their wait ids */
    uint32_t next;
};

/* Anything else happens on a location that had asked for a lock: it did not get it (a failed test). */
void omptape_mutex_give_up(struct omptape_writer *writer, struct omptape_location *location,
                           struct omptape_open_region *request);

/* The location's innermost open region will be left because the trace ends. If it asks for a lock, the lock's
 * number gets into the attributes of its Leave. */
void omptape_mutex_write_awaited(struct omptape_writer *writer, const struct omptape_location *location);

/* Another thread has the location now. */
void omptape_mutex_change_thread(struct omptape_location *location);

/* Shows all locks that the location holds as released: when that happened is not known. */
void omptape_mutex_release_all(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time);
