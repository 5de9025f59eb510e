/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region is called, and where it is in the program's source.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"
#include "writers/symbols/symbols.h"

/* The place of a region in the program's source, as far as it is known. */
void omptape_names_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                           struct omptape_source *source);

/* The region's name: "!$omp critical @solver.c:42". */
void omptape_names_write(const struct omptape_writer *writer, const struct omptape_region *region,
                         const struct omptape_source *source, char *text, size_t bytes);
