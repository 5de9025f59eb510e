/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of the CUPTI producer, and OMPT's tracing interface for each. Any thread.
 */
#ifndef OMPTAPE_DEVICE_CUPTI_DEVICES_H
#define OMPTAPE_DEVICE_CUPTI_DEVICES_H

#include "device/cupti/library.h"

#include <stdbool.h>

/* The library to be used from now on, constant. Before anything else here. */
void omptape_cupti_use(const struct omptape_cupti_library *library);
/* It has begun: what runs on any thread may call it. */
void omptape_cupti_set_started(void);
/* Its functions once it has begun, NULL before and in forked children. */
const struct omptape_cupti_functions *omptape_cupti(void);

/* Begins to collect activities; a CUptiResult, 0 also where that is done already. */
int omptape_cupti_resume(void);

/* Has external ids related to activities, which costs a record for each call of the driver. */
void omptape_cupti_relate(void);

/* True if CUDA's device `ordinal` is one of the runtime's other numbers already. */
bool omptape_cupti_is_anothers(uint32_t ordinal, int device_num);
/* Opens CUDA's device `ordinal` under the runtime's number. False: there is no room for it. */
bool omptape_cupti_open_number(uint32_t ordinal, int device_num);
/* Opens it under a number of our own, unless it has one. */
void omptape_cupti_open_ordinal(uint32_t ordinal);
/* Closes the devices that have numbers of our own: the runtime does not know when they end. */
void omptape_cupti_close_ordinals(void);
/* In a forked child: they are the parent's. */
void omptape_cupti_forget_devices(void);

/* CUPTI's callbacks for buffers. */
void omptape_cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
void omptape_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

#endif
