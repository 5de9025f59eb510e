/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive's definitions say of devices: system tree, location groups, the transfers' window, memory
 * in use.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"

/* CUDA's or the device's own for what no construct stands for, else OpenMP's. */
OTF2_Paradigm omptape_device_paradigm(const struct omptape_writer *writer,
                                      const struct omptape_region *region);
void omptape_device_definitions_paradigms(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);

/* Gives the devices that have locations their references: before any definition refers to them. */
void omptape_device_definitions_number(struct omptape_writer *writer);
/* The name of its location group. */
OTF2_StringRef omptape_device_definitions_group_name(struct omptape_writer *writer,
                                                     const struct omptape_device *device);
/* System tree nodes and location groups; before the locations. */
void omptape_device_definitions_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);
/* One of a device's locations. */
void omptape_device_definitions_location(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                         const struct omptape_location *location);
/* Will it define a window? */
bool omptape_device_definitions_has_window(const struct omptape_writer *writer);
/* The transfers' communicator and window, as the groups from `group` on and communicator `comm`, and the
 * metrics; after the locations and their communicators. */
void omptape_device_definitions_rest(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                     OTF2_GroupRef group, OTF2_CommRef comm);
