/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A device's tracing interface (OpenMP 5.2 section 19.6.2.3): the entry points from its lookup function.
 * Filled in once by the thread that initialises the device.
 */
#pragma once

#include <omptape/ompt.h>
#include <omptape/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What omptape's own producer knows of a native record in addition to ompt_record_abstract_t. Strings are
 * valid as long as the buffer. Fields as in OMPTAPE_DEVICE_NATIVE. */
struct omptape_record_detail {
    /* OpenMP's device number. A producer's buffer may contain records of several devices. */
    int32_t device;
    enum omptape_activity activity;
    enum omptape_copy copy;
    int32_t peer;
    uint64_t stream;
    uint64_t operation; /* The host operation that caused it; 0 if unknown. */
    uint64_t bytes;
    uint32_t teams;
    uint32_t threads;
    uint64_t correlation;
    uint64_t context;
    const char *name; /* The linker's name of the kernel, or NULL. */
};

/* An additional entry point of omptape's own producer, with the name below. Returns false if there is no
 * detail beyond get_record_abstract. */
#define OMPTAPE_GET_RECORD_DETAIL "omptape_get_record_detail"
typedef bool (*omptape_get_record_detail_t)(ompt_buffer_t *buffer, ompt_buffer_cursor_t current,
                                            struct omptape_record_detail *detail);

/* Functions for tracing a device. Each is NULL if the runtime or our producer does not have it. */
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

/* Looks up all entry points. `lookup` may be NULL. */
void omptape_interface_find(struct omptape_interface *calls, ompt_function_lookup_t lookup);

/* Returns an entry point by its name, or NULL. A producer of omptape's own answers lookups by it. */
ompt_interface_fn_t omptape_interface_get(const struct omptape_interface *calls, const char *name);

/* Returns NULL if the interface can deliver records, else a phrase with what it lacks. */
const char *omptape_interface_lacks(const struct omptape_interface *calls);

/* Lines "key=value" for a record's payload. A line that does not fit is omitted. */
struct omptape_lines {
    size_t used; /* Length of `text` without the terminating zero. */
    char text[1900];
};
void omptape_lines_add(struct omptape_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds "offers=" and "lacks=" with the names of the entry points, and the device's count of processors. */
void omptape_interface_describe(const struct omptape_interface *calls, ompt_device_t *device,
                                struct omptape_lines *lines);
