/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of explicit tasks: creation, dependences, switches, cancellation, completion. The writer's
 * translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_TASK_H
#define OMPTAPE_WRITERS_TRANSLATE_TASK_H

#include "writers/model/model.h"

/* Sets up writer->tasks. 0 or -ENOMEM. */
int omptape_tasks_create(struct omptape_writer *writer);
void omptape_tasks_free(struct omptape_writer *writer);

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

#endif
