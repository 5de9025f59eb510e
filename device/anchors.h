/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors: simultaneous readings of the host's clock and a device's clock. The raw readings are recorded; the
 * writer fits the relation of the clocks.
 */
#pragma once

#include "device/records.h"

/* Must be called before the other functions. */
void omptape_anchors_prepare(void);

/* Reads a device's clock several times, together with its translation and omp_get_wtime, and records the
 * readings. For a slow clock this takes up to 2 ms if `thorough`, else 0.1 ms. The device must exist. */
void omptape_anchors_record(struct omptape_traced_device *device, bool thorough);

/* Records the translation of device times from records, for a device whose clock cannot be read. */
void omptape_anchors_translate(const struct omptape_traced_device *device, const uint64_t *times,
                               unsigned count);

/* Returns the time (host ticks) when the next anchors are due. */
uint64_t omptape_anchors_next_due(void);
