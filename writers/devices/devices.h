/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of the program, which have locations of their own. What they did comes from their records and
 * from the operations of the host. These functions are for the translation. The rest of this folder stands in
 * layers: host and records (with scopes) over track over operations, dating and streams over state.
 */
#pragma once

#include "writers/devices/operations.h"
#include "writers/state/writer.h"

#include <omptape/record.h>
#include <stddef.h>

/* Sets up writer->devices. 0 or -ENOMEM. */
int omptape_device_create(struct omptape_writer *writer);

/* DEVICE_INITIALIZE: from here on its number is a device's. */
void omptape_device_begin(struct omptape_writer *writer, int32_t number, const char *type, uint64_t time);

/* A record of the kinds from OMPTAPE_FIRST_OF_DEVICES on, `time` on the writer's timeline. */
void omptape_device_translate(struct omptape_writer *writer, const struct omptape_record *record);

/* What is still waiting is written; before the locations are closed. */
void omptape_device_finish(struct omptape_writer *writer);

void omptape_device_free(struct omptape_writer *writer);

/* What target regions, data operations and submissions on the host say of what devices do. */
/* A target construct on the host begins and ends: operations within it get its device, site and task. */
void omptape_host_target_begin(struct omptape_writer *writer, uint64_t id,
                               const struct omptape_target *target);
void omptape_host_target_end(struct omptape_writer *writer, uint64_t id);

/* An operation begins; `model` says what is known, the rest is found. A single event without an end has
 * `model->end` set. */
void omptape_host_operation_begin(struct omptape_writer *writer, const struct omptape_operation *model);
/* It ends; `destination_address`, if not 0, was not known before. */
void omptape_host_operation_end(struct omptape_writer *writer, uint64_t id, uint64_t time,
                                uint64_t destination_address);

/* The record's text that begins at payload word `at`; "" if there is none. *next (may be NULL): the word
 * behind it. */
const char *omptape_device_text(const struct omptape_record *record, size_t at, size_t *next);
