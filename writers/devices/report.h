/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive's properties say of each device: where its records came from and why, what became of them,
 * and how its clock was aligned (include/omptape/properties.h).
 */
#ifndef OMPTAPE_WRITERS_DEVICES_REPORT_H
#define OMPTAPE_WRITERS_DEVICES_REPORT_H

#include "writers/devices/counts.h"
#include "writers/model/model.h"

/* Sets the properties; when all is written. `resolution`: ticks of the host's clock a second. */
void omptape_device_report(struct omptape_writer *writer, uint64_t resolution);

/* Kernels, transfers and their bytes of all devices; the other counts are 0. */
struct omptape_device_counts omptape_device_sum(const struct omptape_writer *writer);

/* Calls `warn` with one line for each thing about the devices that is worth a warning; the text holds until
 * it returns. */
void omptape_device_warnings(struct omptape_writer *writer,
                             void (*warn)(struct omptape_writer *writer, const char *text));

#endif
