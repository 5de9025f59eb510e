/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive's definitions say of devices: system tree, location groups, names of locations, the
 * transfers' window, memory in use. The writer's translating thread only.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_DEFINITIONS_H
#define OMPTAPE_WRITERS_DEVICES_DEFINITIONS_H

#include "writers/devices/devices.h"

/* The name of a new location; NULL: of the one for memory in use. */
OTF2_StringRef omptape_device_stream_name(struct omptape_writer *writer, struct omptape_device *device,
                                          const struct omptape_device_stream *stream);

/* CUDA's or the device's own for what no construct stands for, else OpenMP's. */
OTF2_Paradigm omptape_device_paradigm(const struct omptape_writer *writer,
                                      const struct omptape_region *region);
void omptape_device_definitions_paradigms(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);

/* The metric instance of memory in use. */
OTF2_MetricRef omptape_device_memory_metric(const struct omptape_device *device);

/* Gives the devices that have locations their references: before any definition refers to them. */
void omptape_device_definitions_number(struct omptape_writer *writer);
/* System tree nodes and location groups; before the locations. */
void omptape_device_definitions_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);
/* The transfers' communicator and window, as group `group` and communicator `comm`, and the metrics; after
 * the locations and their communicators. */
void omptape_device_definitions_rest(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                     OTF2_GroupRef group, OTF2_CommRef comm);

#endif
