/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of locks, nest locks, critical, atomic and ordered. The writer's translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_MUTEX_H
#define OMPTAPE_WRITERS_TRANSLATE_MUTEX_H

#include "src/core/hash.h"
#include "writers/model/model.h"

struct omptape_locks {
    struct omptape_hash by_id; /* by their wait ids */
    uint32_t next;
};

/* Sets up writer->locks. 0 or -ENOMEM. */
int omptape_locks_create(struct omptape_writer *writer);

void omptape_mutex_init(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time);
void omptape_mutex_destroy(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_mutex_acquire(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_mutex_acquired(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time);
void omptape_mutex_released(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time);
void omptape_mutex_nest(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time);

/* Anything else happens on a location that had asked for a lock: it did not get it (a failed test). */
void omptape_mutex_give_up(struct omptape_writer *writer, struct omptape_location *location,
                           struct omptape_open_region *request);

/* Shows all locks that the location holds as released: when that happened is not known. */
void omptape_mutex_release_all(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time);

void omptape_locks_free(struct omptape_writer *writer);

#endif
