/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's definitions of devices: system tree, location groups, the transfers' window, memory in use.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"

/* Returns CUDA's or the device's own paradigm for regions of no construct, and OpenMP's for others. */
OTF2_Paradigm omptape_device_paradigm(const struct omptape_writer *writer,
                                      const struct omptape_region *region);
void omptape_device_definitions_paradigms(struct omptape_writer *writer);

/* Numbers the devices that have locations. Called before any definition refers to them. */
void omptape_device_definitions_number(struct omptape_writer *writer);
/* Returns the name of the device's location group. */
OTF2_StringRef omptape_device_definitions_group_name(struct omptape_writer *writer,
                                                     const struct omptape_device *device);
/* Writes the system tree nodes and location groups. Called before the locations are written. */
void omptape_device_definitions_groups(struct omptape_writer *writer);
/* Writes one of a device's locations. */
void omptape_device_definitions_location(struct omptape_writer *writer,
                                         const struct omptape_location *location);
/* Returns true if a window will be defined. */
bool omptape_device_definitions_has_window(const struct omptape_writer *writer);
/* Writes the transfers' communicator and window, with groups numbered from `group` and communicator
 * `comm`. Called after the locations and the other communicators are written. */
void omptape_device_definitions_rest(struct omptape_writer *writer, OTF2_GroupRef group, OTF2_CommRef comm);
