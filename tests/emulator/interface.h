/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device tracing interface that the emulator offers (OpenMP 5.2 section 19.6), as the lookup function of
 * device_initialize gives it to the tool.
 */
#pragma once

#include "tests/emulator/device.h"

/* Asked for entry points by the tool, on any thread. NULL for those that this device lacks. */
ompt_interface_fn_t em_interface_lookup(const char *name);

/* Around the tool's device_finalize: what comes late with the device is delivered before; after it nothing
 * may be asked of the device. */
void em_interface_finalizing(struct em_device *device);
void em_interface_finalized(struct em_device *device);
