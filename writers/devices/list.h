/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of devices.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_LIST_H
#define OMPTAPE_WRITERS_DEVICES_LIST_H

#include "writers/devices/state.h"

/* The device of this number; it is made if it is not known. NULL: out of memory. */
struct omptape_device *omptape_device_get(struct omptape_writer *writer, int32_t number);
/* The same, NULL if the runtime never told of it. */
struct omptape_device *omptape_device_find(struct omptape_writer *writer, int32_t number);

#endif
