/* SPDX-License-Identifier: BSD-3-Clause
 *
 * References of regions, given out while the trace streams.
 */
#ifndef OMPTAPE_WRITERS_REGIONS_REFERENCES_H
#define OMPTAPE_WRITERS_REGIONS_REFERENCES_H

#include "writers/model/model.h"
#include "writers/regions/regions.h"

struct omptape_references {
    struct omptape_region *list; /* by reference */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;                   /* (site, kind) to reference + 1 */
    uint32_t no_site[OMPTAPE_REGION_KIND_COUNT]; /* reference + 1 of the regions without a site */
};

/* Sets up writer->references, ->sites and ->sources. 0 or -ENOMEM. */
int omptape_references_create(struct omptape_writer *writer);
void omptape_references_free(struct omptape_writer *writer);

/* The region of a construct at a call site; OTF2_UNDEFINED_REGION when memory is out. Looks at the program's
 * memory map if the site is in no known module, as long as there is one to look at. */
OTF2_RegionRef omptape_references_get(struct omptape_writer *writer, enum omptape_region_kind kind,
                                      uint64_t site);

/* The region of something on a device that has a name of its own: a kernel's symbol. */
OTF2_RegionRef omptape_references_get_named(struct omptape_writer *writer, enum omptape_region_kind kind,
                                            const char *name);

#endif
