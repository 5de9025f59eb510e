/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: the callbacks through which the runtime announces them (OpenMP 5.2 sections 19.5.2.19
 * to 19.5.2.24). Called by the runtime, possibly before main; registered by src/tool/start.c.
 */
#ifndef OMPTAPE_DEVICE_DEVICE_H
#define OMPTAPE_DEVICE_DEVICE_H

#include <omptape/ompt.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* The producer for NVIDIA devices, if this library has one: opens the device by omptape_tracing_open. False:
 * it cannot, and `why` says so in a phrase. Called by the thread that initialises the device. */
typedef bool omptape_device_open_function(int device_num, const char *type, char *why, size_t why_bytes);
extern omptape_device_open_function *omptape_device_cupti_open;

/* How many images were loaded to devices. Any thread. */
extern atomic_uint omptape_device_images;

/* The callback function for event `number` (ompt_callbacks_t), or NULL if that number is none of this
 * folder's. */
ompt_callback_t omptape_device_callback(unsigned number);

#endif
