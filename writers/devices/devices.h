/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices of the program, which have separate locations. Their activity comes from their records and from the
 * operations of the host. These functions are called by the translation. The folder's other files form
 * layers: host and records (with scopes) over intervals over operations, conversion and streams over state.
 */
#pragma once

#include "writers/devices/operations.h"
#include "writers/state/writer.h"

#include <omptape/record.h>
#include <stddef.h>

/* Creates writer->devices. Returns 0 or -ENOMEM. */
int omptape_device_create(struct omptape_writer *writer);

/* Translates DEVICE_INITIALIZE: from now on the number belongs to a device. */
void omptape_device_begin(struct omptape_writer *writer, int32_t number, const char *type, uint64_t time);

/* Translates a record of the kinds from OMPTAPE_FIRST_OF_DEVICES on; `time` is on the writer's timeline. */
void omptape_device_translate(struct omptape_writer *writer, const struct omptape_record *record);

/* Writes everything that still waits. Called before the locations are closed. */
void omptape_device_finish(struct omptape_writer *writer);

void omptape_device_free(struct omptape_writer *writer);

/* Target regions, data operations and submissions on the host, which describe activity of devices. */
/* Called when a target construct on the host begins and ends: operations get its device, site, task. */
void omptape_host_target_begin(struct omptape_writer *writer, uint64_t id,
                               const struct omptape_target *target);
void omptape_host_target_end(struct omptape_writer *writer, uint64_t id);

/* Called when an operation begins. `model` has what is known; the rest is derived. A single event without
 * an end has `model->end` set. */
void omptape_host_operation_begin(struct omptape_writer *writer, const struct omptape_operation *model);
/* Called when an operation ends. `destination_address`, if not 0, was unknown before. */
void omptape_host_operation_end(struct omptape_writer *writer, uint64_t id, uint64_t time,
                                uint64_t destination_address);

/* Returns the record's text that begins at payload word `at`, or "" if there is none. *next receives the
 * word after it; `next` may be NULL. */
const char *omptape_device_text(const struct omptape_record *record, size_t at, size_t *next);
