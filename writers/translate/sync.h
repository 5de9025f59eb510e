/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of barriers, taskwait, taskgroup, reductions and the waiting inside them. The writer's
 * translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_SYNC_H
#define OMPTAPE_WRITERS_TRANSLATE_SYNC_H

#include "writers/model/model.h"

void omptape_sync_region(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time);
void omptape_sync_wait(struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_record *record, uint64_t time);
void omptape_sync_reduction(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time);

#endif
