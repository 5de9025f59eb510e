/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of the CUPTI producer, and OMPT's tracing interface for each. Any thread.
 */
#pragma once

#include "device/cupti/library.h"

#include <stdbool.h>

/* Sets the library, which stays constant. Must be called first. */
void omptape_cupti_use(const struct omptape_cupti_library *library);
/* Allows calls of the library on any thread. */
void omptape_cupti_set_started(void);
/* Returns the library's functions once it has started; NULL before, and in forked children. */
const struct omptape_cupti_functions *omptape_cupti(void);

/* Begins to collect activities. Returns a CUptiResult; 0 also if they are already collected. */
int omptape_cupti_resume(void);

/* Makes CUPTI relate external ids to activities. Costs a record for each call of the driver. */
void omptape_cupti_enable_correlation(void);

/* Returns true if CUDA's device `ordinal` already has another number of the runtime. */
bool omptape_cupti_has_other_number(uint32_t ordinal, int device_num);
/* Opens CUDA's device `ordinal` with the runtime's number. Returns false if `ordinal` is too large. */
bool omptape_cupti_open_number(uint32_t ordinal, int device_num);
/* Opens a device with a number of omptape's own, unless it has a number. */
void omptape_cupti_open_ordinal(uint32_t ordinal);
/* Closes the devices with numbers of omptape's own, whose end the runtime does not report. */
void omptape_cupti_close_ordinals(void);
/* Forgets the devices in a forked child, because they are the parent's. */
void omptape_cupti_forget_devices(void);

/* CUPTI's buffer callbacks. */
void omptape_cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
void omptape_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
