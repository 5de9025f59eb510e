/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host operations: what target regions, data operations and submissions on the host say of what devices do.
 * Called by writers/translate/target.c while it translates the host's events, and asked by the device
 * records.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_OPERATIONS_H
#define OMPTAPE_WRITERS_DEVICES_OPERATIONS_H

#include "writers/devices/devices.h"

/* A target construct on the host begins and ends: operations within it get its device, site and task. */
void omptape_operations_target_begin(struct omptape_writer *writer, uint64_t id, int32_t device,
                                     uint64_t task, uint64_t site);
void omptape_operations_target_end(struct omptape_writer *writer, uint64_t id);

/* An operation begins; `model` says what is known, the rest is found. A single event without an end has
 * `model->end` set. */
void omptape_operations_begin(struct omptape_writer *writer, const struct omptape_operation *model);
/* It ends; `destination_address`, if not 0, was not known before. */
void omptape_operations_end(struct omptape_writer *writer, uint64_t id, uint64_t time,
                            uint64_t destination_address);

/* NULL: never seen, or too old. */
struct omptape_operation *omptape_operations_find(struct omptape_writer *writer, uint64_t id);

/* What a record says of the operation that it means. */
struct omptape_likeness {
    uint64_t target;
    uint64_t bytes;
    uint64_t begin; /* device time */
    uint64_t end;
    unsigned type; /* 0: a submission */
};

/* The operation that a record means whose operation id is missing or another's: of those of its target
 * region, type and size the one whose record had the same times (it came again), else the first that has no
 * record yet. NULL: none. */
struct omptape_operation *omptape_operations_alike(struct omptape_writer *writer,
                                                   const struct omptape_likeness *like);

/* An interval starts or ceases to point to it. */
void omptape_operations_use(struct omptape_operation *operation);
void omptape_operations_release(struct omptape_operation *operation);

/* No record will come any more: those without one are shown as the host saw them. */
void omptape_operations_settle(struct omptape_writer *writer);

void omptape_operations_free(struct omptape_writer *writer);

#endif
