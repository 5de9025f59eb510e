/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads CUPTI's activity buffers by functions like those of OMPT's device-tracing interface (OpenMP 5.2
 * sections 19.6.2.2 and 20.5): cursors, record types, native records. The only state is two small lock-free
 * tables. All functions may be called on any thread, for any buffer that the caller owns.
 *
 * A cursor is the address of a record that lies completely in the buffer and has a wanted kind. Others are
 * skipped: API calls, which CUPTI records only to relate external ids, those of other tools, and unknown
 * kinds.
 */
#pragma once

#include "device/cupti/abi.h"
#include "device/interface.h"

#include <stdbool.h>

/* cuptiActivityGetNextRecord. */
typedef int (*omptape_cupti_next_t)(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record);

/* Returns OpenMP's number of CUDA's device `ordinal`, or a negative number if there is none. */
typedef int (*omptape_cupti_number_t)(uint32_t ordinal);

/* The stream of activities that belong to no stream: allocations, synchronisation with a context or an event.
 * CUPTI counts streams from 1. */
enum { OMPTAPE_CUPTI_NO_STREAM = 0 };

/* Returns the cursor of the first record if `current` is 0, else of the next one. Returns 0 if there is none
 * or the rest is damaged. `buffer` must have CUPTI's alignment. */
ompt_buffer_cursor_t omptape_cupti_next_cursor(omptape_cupti_next_t next, ompt_buffer_t *buffer, size_t bytes,
                                               ompt_buffer_cursor_t current);

/* Returns ompt_record_native, or ompt_record_invalid if CUPTI could not measure the times. */
ompt_record_t omptape_cupti_record_type(ompt_buffer_cursor_t current);

/* Returns the record, like ompt_get_record_native. `*host_op_id`: its operation, or 0. */
void *omptape_cupti_record_native(ompt_buffer_cursor_t current, ompt_id_t *host_op_id);

/* Returns OMPT's abstract of the record. Valid until 255 more were requested by all threads. */
ompt_record_abstract_t *omptape_cupti_record_abstract(void *native_record);

/* Fills `*detail` with all fields of the record. `first_device` is the device for records that name none:
 * external ids, and synchronisation with an unknown context. External ids have OMPTAPE_ACTIVITY_OTHER,
 * `operation` and `correlation`. They come before or after the activities of that correlation, whose
 * `operation` is 0. An allocation of host memory has the copy OMPTAPE_COPY_HOST. The name of a
 * synchronisation is plain text. */
bool omptape_cupti_record_detail(ompt_buffer_cursor_t current, omptape_cupti_number_t number,
                                 int first_device, struct omptape_record_detail *detail);

/* Notes that a context is on this device. Synchronisation records contain only the context. */
void omptape_cupti_note_context(uint32_t context, uint32_t ordinal);
