/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of regions, and their positions in the program's source.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"
#include "writers/symbols/symbols.h"

/* Resolves the region's position in the source, as far as it is known. */
void omptape_names_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                           struct omptape_source *source);

/* Writes the region's name, for example "!$omp critical @solver.c:42". */
void omptape_names_write(const struct omptape_writer *writer, const struct omptape_region *region,
                         const struct omptape_source *source, char *text, size_t bytes);
