/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts a device's intervals onto the host's clock and mends times that cannot be.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_DATING_H
#define OMPTAPE_WRITERS_DEVICES_DATING_H

#include "writers/devices/state.h"

/* DEVICE_ANCHOR: a reading of the device's clock. */
void omptape_dating_take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                                const struct omptape_record *record);

/* begin and end become host ticks. False: no times can be made out; it is counted. */
bool omptape_dating_convert(struct omptape_device *device, struct omptape_interval *interval);

#endif
