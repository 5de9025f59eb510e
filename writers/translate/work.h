/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of work-sharing constructs and their chunks, and of masked. The writer's translating thread
 * only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_WORK_H
#define OMPTAPE_WRITERS_TRANSLATE_WORK_H

#include "writers/model/model.h"

void omptape_work(struct omptape_writer *writer, struct omptape_location *location,
                  const struct omptape_record *record, uint64_t time);
void omptape_work_dispatch(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_work_masked(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time);

/* A barrier begins in the top frame: no work-sharing region can still be open there, whatever the runtime
 * left out. */
void omptape_work_close_before_barrier(struct omptape_writer *writer, struct omptape_location *location,
                                       uint64_t time);

#endif
