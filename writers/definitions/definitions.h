/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's definitions, written after the last event: system tree, locations, regions with their
 * positions, teams, devices, attributes, clock.
 */
#pragma once

#include "writers/state/writer.h"

/* Writes all global and local definitions. `resolution`: ticks of the clock per second. */
void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution);

/* Texts of single definitions, needed while the trace is written. The end repeats them. */
OTF2_StringRef omptape_definitions_process_name(struct omptape_writer *writer);
OTF2_StringRef omptape_definitions_location_name(struct omptape_writer *writer,
                                                 const struct omptape_location *location);
/* References that are the same in every process archive. */
enum { OMPTAPE_DEFINED_NODE = 1, OMPTAPE_DEFINED_PROCESS = 0 };
