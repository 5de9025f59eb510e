/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's definitions, which are written when the last event is: system tree, locations, regions with
 * their places, teams, devices, attributes, clock.
 */
#pragma once

#include "writers/state/writer.h"

/* Writes all definitions, global and local. `resolution`: ticks of the clock a second. */
void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution);

/* What single definitions say, for who needs them while the trace streams: names that are told once more at
 * the end. */
OTF2_StringRef omptape_definitions_process_name(struct omptape_writer *writer);
OTF2_StringRef omptape_definitions_location_name(struct omptape_writer *writer,
                                                 const struct omptape_location *location);
/* Constants. */
const char *omptape_definitions_attribute_name(enum omptape_attribute attribute);
const char *omptape_definitions_parameter_name(enum omptape_parameter parameter);
/* References that are the same in every process's own archive. */
enum { OMPTAPE_DEFINED_NODE = 1, OMPTAPE_DEFINED_PROCESS = 0 };
