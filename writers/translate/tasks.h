/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What others need to know of explicit tasks (task.c).
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_TASKS_H
#define OMPTAPE_WRITERS_TRANSLATE_TASKS_H

#include "writers/model/model.h"

/* The time to write for what waited for tasks and went on at `time`: not before they completed. Which ones it
 * waited for is not known, so of those in the same tick of the clock it is all. */
uint64_t omptape_tasks_waited(const struct omptape_writer *writer, const struct omptape_location *location,
                              uint64_t time);

#endif
