/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of explicit tasks: creation, dependences, switches, cancellation, completion. The writer's
 * translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_TASK_H
#define OMPTAPE_WRITERS_TRANSLATE_TASK_H

#include "writers/model/model.h"

void omptape_task_create(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time);
void omptape_task_dependences(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time);
void omptape_task_dependence(struct omptape_writer *writer, struct omptape_location *location,
                             const struct omptape_record *record, uint64_t time);
void omptape_task_schedule(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_task_cancel(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time);
void omptape_task_free_all(struct omptape_writer *writer);

#endif
