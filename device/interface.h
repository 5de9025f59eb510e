/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A device's tracing interface (OpenMP 5.2 section 19.6.2.3): the entry points that its lookup function gave.
 * Filled in once by the thread that initialises the device.
 */
#ifndef OMPTAPE_DEVICE_INTERFACE_H
#define OMPTAPE_DEVICE_INTERFACE_H

#include "device/tracing.h"

#include <stddef.h>

/* Each may be NULL. */
struct omptape_interface {
    ompt_get_device_num_procs_t get_device_num_procs;
    ompt_get_device_time_t get_device_time;
    ompt_translate_time_t translate_time;
    ompt_set_trace_ompt_t set_trace_ompt;
    ompt_set_trace_native_t set_trace_native;
    ompt_start_trace_t start_trace;
    ompt_pause_trace_t pause_trace;
    ompt_flush_trace_t flush_trace;
    ompt_stop_trace_t stop_trace;
    ompt_advance_buffer_cursor_t advance_buffer_cursor;
    ompt_get_record_type_t get_record_type;
    ompt_get_record_ompt_t get_record_ompt;
    ompt_get_record_native_t get_record_native;
    ompt_get_record_abstract_t get_record_abstract;
    omptape_get_record_detail_t get_record_detail;
};

/* Looks all of them up; `lookup` may be NULL. */
void omptape_interface_find(struct omptape_interface *calls, ompt_function_lookup_t lookup);

/* NULL if records can be had through it; else what it lacks, a phrase. */
const char *omptape_interface_lacks(const struct omptape_interface *calls);

/* Lines "key=value" for a record's payload: what does not fit is left out whole. */
struct omptape_lines {
    size_t used; /* the terminating zero not counted */
    char text[1900];
};
void omptape_lines_add(struct omptape_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds "offers=" and "lacks=" with the names of the entry points, and what the device says of itself. */
void omptape_interface_describe(const struct omptape_interface *calls, ompt_device_t *device,
                                struct omptape_lines *lines);

/* Asks for the records of `events` (bit n: callback number n) and for native ones of the same operations; the
 * answers go to `lines`. */
void omptape_interface_ask(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                           struct omptape_lines *lines);

/* True if these events include one of those that devices are traced for. */
bool omptape_interface_is_wanted(uint64_t events);

/* The size of the union's member in a record of this type (ompt_callbacks_t); -1: there is no such type. */
int omptape_interface_member_bytes(unsigned type);

#endif
