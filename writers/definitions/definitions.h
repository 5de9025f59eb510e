/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's definitions, which are written when the last event is: system tree, locations, regions with
 * their places, teams, devices, attributes, clock.
 */
#ifndef OMPTAPE_WRITERS_DEFINITIONS_DEFINITIONS_H
#define OMPTAPE_WRITERS_DEFINITIONS_DEFINITIONS_H

#include "writers/model/model.h"

/* Writes all definitions, global and local. `resolution`: ticks of the clock a second. */
void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution);

#endif
