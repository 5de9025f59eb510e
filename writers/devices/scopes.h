/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices record of OpenMP inside them.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_SCOPES_H
#define OMPTAPE_WRITERS_DEVICES_SCOPES_H

#include "writers/devices/state.h"

/* An OMPT record of what happened inside a device: `record->a` is neither a target's, data
 * operation's nor a submission's. */
void omptape_device_scope_record(struct omptape_writer *writer, struct omptape_device *device,
                                 const struct omptape_record *record);
/* What began and was never said to end. */
void omptape_device_scopes_finish(struct omptape_writer *writer, struct omptape_device *device);

#endif
