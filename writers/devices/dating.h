/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts a device's interval onto the host's clock and mends times that cannot be. Called when intervals are
 * written.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_DATING_H
#define OMPTAPE_WRITERS_DEVICES_DATING_H

#include "writers/devices/devices.h"

/* begin and end become host ticks. False: no times can be made out; it is counted. */
bool omptape_dating(struct omptape_device *device, struct omptape_interval *interval);

#endif
