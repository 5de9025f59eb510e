/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the records that devices delivered, and finds the host operations that they belong to.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_RECORDS_H
#define OMPTAPE_WRITERS_DEVICES_RECORDS_H

#include "writers/devices/state.h"

/* DEVICE_RECORD: one of OMPT's, of any type. */
void omptape_device_record(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);
/* DEVICE_NATIVE: one of the device's own. */
void omptape_device_native(struct omptape_writer *writer, struct omptape_device *device,
                           const struct omptape_record *record);

/* What devices record of OpenMP inside them. */
/* What began and was never said to end. */
void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device);

#endif
