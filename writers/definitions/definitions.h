/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's definitions: strings and regions are given out while the trace streams, everything is written
 * at the end. The writer's translating thread only.
 */
#ifndef OMPTAPE_WRITERS_DEFINITIONS_DEFINITIONS_H
#define OMPTAPE_WRITERS_DEFINITIONS_DEFINITIONS_H

#include "writers/model/idmap.h"
#include "writers/regions/regions.h"

#include <otf2/otf2.h>
#include <stdint.h>

struct omptape_writer;
struct omptape_source;

struct omptape_definitions {
    char **strings; /* by reference */
    uint32_t string_count;
    uint32_t string_capacity;
    struct omptape_idmap string_index;
    /* once it is open, a new string is written at once: before whatever refers to it */
    OTF2_GlobalDefWriter *sink;
};

/* The reference of a text; the same text has the same reference. 0, the empty string, when memory is out. */
OTF2_StringRef omptape_definitions_string(struct omptape_definitions *definitions, const char *text);
OTF2_StringRef omptape_definitions_format(struct omptape_definitions *definitions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The region of a construct at a call site. Looks at the program's memory map if the site is in no known
 * module, as long as there is one to look at. */
OTF2_RegionRef omptape_definitions_region(struct omptape_writer *writer, enum omptape_region_kind kind,
                                          uint64_t site);

/* The region of something on a device that has a name of its own: a kernel's symbol. */
OTF2_RegionRef omptape_definitions_named_region(struct omptape_writer *writer, enum omptape_region_kind kind,
                                                const char *name);

/* The place of a region in the program's source, as far as it is known. */
void omptape_definitions_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                                 struct omptape_source *source);
/* The region's name: "!$omp critical @solver.c:42". */
void omptape_definitions_name(const struct omptape_writer *writer, const struct omptape_region *region,
                              const struct omptape_source *source, char *text, size_t bytes);

/* What stands behind the last slash of a path. */
const char *omptape_definitions_base_name(const char *path);

/* Writes all definitions, global and local, at the end. `resolution`: ticks of the clock a second. */
void omptape_definitions_write(struct omptape_writer *writer, uint64_t resolution);

void omptape_definitions_free(struct omptape_definitions *definitions);

#endif
