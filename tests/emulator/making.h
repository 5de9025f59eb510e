/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes records of operations: decides whether there is one, fills it in, and does to it what the modes want.
 * Called on the thread of the host operation.
 */
#pragma once

#include "tests/emulator/operations.h"
#include "tests/emulator/records.h"

/* When an operation is on its device, in host ticks. */
struct em_interval {
    uint64_t begin;
    uint64_t end;
};

struct em_identity {
    struct em_device *device; /* NULL: of a device that nobody announced */
    uint64_t operation;
    uint64_t target;
    uint64_t last_submit; /* on this thread, for records that carry the wrong identity */
};

void em_make_kernel(const struct em_identity *who, struct em_interval when, unsigned teams,
                    enum em_kind kind);
void em_make_data_op(const struct em_identity *who, struct em_interval when, const struct em_data_op *op);
void em_make_target(const struct em_identity *who, uint64_t when, ompt_target_t kind,
                    ompt_scope_endpoint_t endpoint, const void *site);

/* extras.c: records that no OMPT tool expects of a plain device. */
void em_make_native(const struct em_identity *who, struct em_interval when, int flags, unsigned type);
void em_make_every_kind(const struct em_identity *who, struct em_interval when);

/* The fate of a record of these event codes, decided at its operation; the code that it gets. */
enum em_fate em_fate_of(struct em_device *device, unsigned emi, unsigned plain, unsigned *etype);

/* Gives an entry of truth its identity and times, the device's of the device's clock. */
void em_fill_truth(struct em_truth *truth, const struct em_identity *who, struct em_interval when);

/* Sends the record on, or forgets it: by fate. */
void em_send(struct em_pending *pending, struct em_truth *truth, enum em_fate fate, uint64_t ready);
