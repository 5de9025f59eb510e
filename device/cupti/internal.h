/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between the two halves of the CUPTI producer: its start (cupti.c) and its devices, which are what OMPT's
 * tracing interface is about (devices.c). Any thread.
 */
#ifndef OMPTAPE_DEVICE_CUPTI_INTERNAL_H
#define OMPTAPE_DEVICE_CUPTI_INTERNAL_H

#include "device/cupti/library.h"
#include "device/cupti/records.h"

/* cupti.c: the functions once CUPTI is started, NULL before and in forked children. */
const struct omptape_cupti_functions *omptape_cupti(void);
/* cupti.c: which CUPTI it is, for people. */
void omptape_cupti_describe(char *text, size_t bytes);

/* devices.c: the functions to be used from now on. Before anything else there. */
void omptape_cupti_use(const struct omptape_cupti_functions *functions);

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
void omptape_cupti_forget_devices(void);

/* CUPTI's callbacks for buffers. */
void omptape_cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
void omptape_cupti_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

#endif
