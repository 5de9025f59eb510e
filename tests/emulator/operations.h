/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host is seen to ask of its devices, and what the devices then do and when. Called around the
 * tool's own callbacks on the thread of the host operation, so that the identities which the tool stores are
 * known.
 */
#pragma once

#include "omptape/ompt.h"

struct em_data_op {
    ompt_target_data_op_t kind;
    void *from;
    int from_device;
    void *to;
    int to_device;
    size_t bytes;
    const void *site;
};

/* After the tool's callback of a begin, and before its callback of an end. */
void em_target_begin(ompt_target_t kind, int device, const ompt_data_t *target, const void *site);
void em_target_end(ompt_target_t kind, const ompt_data_t *target, const void *site);
void em_data_op_begin(void);
void em_data_op_end(const ompt_data_t *target, const ompt_id_t *operation, struct em_data_op *op);
void em_submit_begin(void);
void em_submit_end(const ompt_data_t *target, const ompt_id_t *operation, unsigned teams);
