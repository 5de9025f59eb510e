/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads CUPTI's activity buffers as OMPT's device-tracing interface reads a runtime's (OpenMP 5.2 sections
 * 19.6.2.2 and 20.5): cursors, record types, native records. Stateless but for two small tables without
 * locks; every function may be called on any thread, for any buffer that the caller owns.
 *
 * A cursor is the record's address, and is only given for a record that lies in the buffer whole and is of a
 * kind that we want. The others are passed over: API calls, which CUPTI records so that it may relate
 * external ids; external ids of other tools; kinds of which we know nothing.
 */
#ifndef OMPTAPE_DEVICE_CUPTI_RECORDS_H
#define OMPTAPE_DEVICE_CUPTI_RECORDS_H

#include "device/cupti/abi.h"
#include "device/interface.h"

#include <stdbool.h>

/* cuptiActivityGetNextRecord */
typedef int (*omptape_cupti_next_t)(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record);

/* OpenMP's number of the device that CUDA counts as `ordinal`, or a negative number if there is none. */
typedef int (*omptape_cupti_number_t)(uint32_t ordinal);

/* Stream of what belongs to no stream: allocations, synchronisation with a context or an event. CUPTI counts
 * streams from 1 on. */
enum { OMPTAPE_CUPTI_NO_STREAM = 0 };

/* The cursor of the first record if `current` is 0, else of the one after it. 0: there is no other, or the
 * rest is damaged. `buffer` is aligned as CUPTI demands. */
ompt_buffer_cursor_t omptape_cupti_next_cursor(omptape_cupti_next_t next, ompt_buffer_t *buffer, size_t bytes,
                                               ompt_buffer_cursor_t current);

/* ompt_record_native, or ompt_record_invalid where CUPTI could not take the times. */
ompt_record_t omptape_cupti_record_type(ompt_buffer_cursor_t current);

/* The record, as ompt_get_record_native does; `host_op_id` gets the operation where the record names it. */
void *omptape_cupti_record_native(ompt_buffer_cursor_t current, ompt_id_t *host_op_id);

/* The record in OMPT's words. The answer is good until 255 more were asked for, on all threads together. */
ompt_record_abstract_t *omptape_cupti_record_abstract(void *native_record);

/* All that the record says. `home` is the device of what names none: an external id, the synchronisation with
 * a context of which nothing was heard yet. External ids come as OMPTAPE_ACTIVITY_OTHER with `operation` and
 * `correlation`, before or after the activities of that correlation, which have `operation` 0. An allocation
 * of host memory has the copy OMPTAPE_COPY_HOST. The name of a synchronisation is plain text. */
bool omptape_cupti_record_detail(ompt_buffer_cursor_t current, omptape_cupti_number_t number, int home,
                                 struct omptape_record_detail *detail);

/* Context `context`, in CUPTI's numbers, is on that device. Synchronisation names the context alone. */
void omptape_cupti_note_context(uint32_t context, uint32_t ordinal);

#endif
