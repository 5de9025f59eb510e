/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What target regions, data operations and submissions on the host say of what devices do.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_HOST_H
#define OMPTAPE_WRITERS_DEVICES_HOST_H

#include "writers/devices/operations.h"
#include "writers/model/model.h"

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

/* No record will come any more: operations without one are shown as the host saw them. */
void omptape_host_finish(struct omptape_writer *writer);

#endif
