/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks by which the runtime announces devices (OpenMP 5.2 sections 19.5.2.19 to 19.5.2.24). The
 * runtime may call them before main(); src/tool/start.c registers them.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Opens an NVIDIA device by CUPTI and omptape_tracing_open. Set by src/tool/. Returns false if it cannot open
 * the device; `why` then receives the reason, a phrase. Called by the thread that initialises the device. */
typedef bool omptape_device_open_function(int device_num, const char *type, char *why, size_t why_bytes);
extern omptape_device_open_function *omptape_device_cupti_open;

/* Count of images loaded to devices. Any thread. */
extern atomic_uint omptape_device_images;

/* Returns the callback function for event `number` (ompt_callbacks_t), or NULL if this folder has none. */
ompt_callback_t omptape_device_callback(unsigned number);
