/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traced devices: all devices whose records arrive by OMPT's device-tracing interface (OpenMP 5.2 section
 * 19.6), implemented by the runtime or by device/cupti/.
 *
 * Any thread may call all functions, unless stated otherwise. They block only where the producer does.
 */
#pragma once

#include "src/core/options.h"

#include <omptape/ompt.h>
#include <omptape/record.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets the user's options. Called once by the initialising thread, before the callbacks are registered. */
void omptape_tracing_use(const struct omptape_options *options);
/* Returns false if the user wants none of the events for which devices are traced. */
bool omptape_tracing_is_wanted(void);

/* Begins to trace a device. Looks up the entry points, requests records of the wanted events, and starts the
 * trace unless recording is paused. Takes the first anchor, and records DEVICE_TRACING, which lists
 * everything missing. A device without the interface is recorded as OMPTAPE_PRODUCER_HOST with the reason
 * `why`. Called by the thread that initialises the device. */
void omptape_tracing_open(int device_num, ompt_device_t *device, ompt_function_lookup_t lookup,
                          enum omptape_device_producer producer, const char *why);

/* Flushes, takes the last anchor, stops the trace and records DEVICE_SUMMARY. Called while the device still
 * exists (in device_finalize). Later records are still accepted. No effect for a device that is not open. */
void omptape_tracing_close(int device_num);
/* Closes all devices, at the program's end while the runtime is intact. */
void omptape_tracing_close_all(void);
/* Forbids all further calls of devices, because the runtime is being unloaded (the library's destructor). */
void omptape_tracing_abandon(void);

/* The commands of omp_control_tool. */
void omptape_tracing_pause_all(bool pause);
void omptape_tracing_flush_all(void);

/* A second tool shares the traces of devices (callbacks/second/devices.c), and omptape_record_taker gets
 * their records. While it does, a pause of omptape's does not pause the device: its records are for it
 * alone. */
/* Returns true if omptape traces the device. */
bool omptape_tracing_is_open(int device_num);
/* Begins or ends the sharing, with a flush before. Returns false if the device is not traced. */
bool omptape_tracing_share(int device_num, bool share);
/* Has the device deliver what it has. Returns false if the device cannot. */
bool omptape_tracing_flush(int device_num);

/* Takes anchors of all devices if they are due. For the ends of target operations. */
extern _Atomic uint64_t omptape_tracing_anchor_due; /* Host ticks; UINT64_MAX if there are no devices. */
void omptape_tracing_record_anchors(void);

/* Forgets all devices in a forked child, because they are the parent's. */
void omptape_tracing_forget(void);

/* Returns true once records of a device with this number are accepted. */
bool omptape_tracing_has(int device_num);

/* The callbacks for start_trace (OpenMP 5.2 sections 19.5.2.23, 19.5.2.24). device/cupti/ calls them, too. */
void omptape_tracing_buffer_request(int device_num, ompt_buffer_t **buffer, size_t *bytes);
void omptape_tracing_buffer_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                     ompt_buffer_cursor_t begin, int buffer_owned);
