/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The intake of device records: one list of devices whose records come through OMPT's device-tracing
 * interface (OpenMP 5.2 section 19.6), whoever implements it: the runtime, or device/cupti/.
 * Everything here may be called from any thread unless it says otherwise; nothing blocks but what the
 * producer itself does.
 */
#ifndef OMPTAPE_DEVICE_TRACING_H
#define OMPTAPE_DEVICE_TRACING_H

#include "src/core/options.h"

#include <omptape/ompt.h>
#include <omptape/record.h>
#include <stdbool.h>
#include <stdint.h>

/* What the user wants of devices. Once, by the initialising thread, before the callbacks are registered. */
void omptape_tracing_use(const struct omptape_options *options);
/* False: none of the events that devices are traced for. */
bool omptape_tracing_is_wanted(void);

/* Begins to trace a device: finds the entry points, asks for the records of the events that the user wants,
 * starts the trace unless recording is paused, takes the first anchor, and records DEVICE_TRACING. Whatever
 * is missing is said there; a device without the interface is recorded as OMPTAPE_PRODUCER_HOST with `why`.
 * Called by the thread that initialises the device. */
void omptape_tracing_open(int device_num, ompt_device_t *device, ompt_function_lookup_t lookup,
                          enum omptape_device_producer producer, const char *why);

/* Flushes, takes the last anchor, stops, records DEVICE_SUMMARY. To be called while the device still is there
 * (in device_finalize). Records that come later are still taken. No-op for a device that is not open. */
void omptape_tracing_close(int device_num);
/* The same for all devices: the program's end while the runtime is still whole. */
void omptape_tracing_close_all(void);
/* Nothing of the devices may be called any more: the runtime is going (the library's destructor). */
void omptape_tracing_abandon(void);

/* omp_control_tool's commands. */
void omptape_tracing_pause_all(bool pause);
void omptape_tracing_flush_all(void);

/* To be called at the ends of target operations unless there are no devices: takes an anchor of every device
 * when the last ones are old. */
extern _Atomic uint64_t omptape_tracing_anchor_due; /* host ticks; UINT64_MAX: there are no devices */
void omptape_tracing_take_anchors(void);

/* In a forked child: the devices are the parent's. */
void omptape_tracing_forget(void);

/* True once the intake takes records of a device with this number. */
bool omptape_tracing_has(int device_num);

/* The callbacks that start_trace is given (OpenMP 5.2 sections 19.5.2.23, 19.5.2.24); device/cupti/ calls
 * them as a runtime would. */
void omptape_tracing_buffer_request(int device_num, ompt_buffer_t **buffer, size_t *bytes);
void omptape_tracing_buffer_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                     ompt_buffer_cursor_t begin, int buffer_owned);

#endif
