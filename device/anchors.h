/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors: one moment read on the host's and on a device's clock. What is read is recorded as it is; the
 * writer makes a fit of it.
 */
#ifndef OMPTAPE_DEVICE_ANCHORS_H
#define OMPTAPE_DEVICE_ANCHORS_H

#include "device/records.h"

/* Must come before the first of the below. */
void omptape_anchors_prepare(void);

/* Reads a device's clock several times, and its translation and omp_get_wtime beside it, and records them.
 * `thorough`: takes up to 2 ms for it if the clock is slow, else 0.1 ms. The device must be there. */
void omptape_anchors_take(struct omptape_traced_device *device, bool thorough);

/* For a device whose clock cannot be read: the translation of device times that came with its records. */
void omptape_anchors_translate(const struct omptape_traced_device *device, const uint64_t *times,
                               unsigned count);

/* Host ticks from now at which the next anchors are due. */
uint64_t omptape_anchors_next_due(void);

#endif
