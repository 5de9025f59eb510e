/* SPDX-License-Identifier: BSD-3-Clause
 *
 * References of regions, given out while the trace streams.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/regions/sites.h"
#include "writers/state/writer.h"

struct omptape_references {
    /* Those asked for lately, each in its place; key 0: none. */
    struct {
        uint64_t key;
        OTF2_RegionRef region;
    } near[OMPTAPE_NEAR_PLACES];
    struct omptape_region *list; /* by reference */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index; /* (site, kind) to reference + 1 */
    char packed[256]; /* the first module whose debug info could not be unpacked; "": there is none */
};

/* Sets up writer->references, ->sites and ->sources. 0 or -ENOMEM. */
int omptape_references_create(struct omptape_writer *writer);
void omptape_references_free(struct omptape_writer *writer);

/* Addresses of code have their top byte free on every machine we run on. */
static inline uint64_t omptape_references_key(enum omptape_region_kind kind, uint64_t site)
{
    return site ^ ((uint64_t)(kind + 1) << 56);
}
static inline size_t omptape_references_near(enum omptape_region_kind kind, uint64_t site)
{
    return (site ^ site >> 8 ^ (uint64_t)kind * 37) % OMPTAPE_NEAR_PLACES;
}
/* The function below for what was not asked for lately. */
OTF2_RegionRef omptape_references_find(struct omptape_writer *writer, enum omptape_region_kind kind,
                                       uint64_t site);

/* The region of a construct at a call site if it was asked for lately; NULL: it was not. */
static inline const OTF2_RegionRef *omptape_references_recall(const struct omptape_writer *writer,
                                                              enum omptape_region_kind kind, uint64_t site)
{
    const struct omptape_references *references = writer->references;
    size_t place = omptape_references_near(kind, site);
    return __builtin_expect(references->near[place].key == omptape_references_key(kind, site), 1)
               ? &references->near[place].region
               : NULL;
}

/* The region of a construct at a call site; OTF2_UNDEFINED_REGION when memory is out. Looks at the program's
 * memory map if the site is in no known module, as long as there is one to look at. */
static inline OTF2_RegionRef omptape_references_get(struct omptape_writer *writer,
                                                    enum omptape_region_kind kind, uint64_t site)
{
    const OTF2_RegionRef *known = omptape_references_recall(writer, kind, site);
    return known != NULL ? *known : omptape_references_find(writer, kind, site);
}

/* The function below for what was not asked for lately. */
struct omptape_place omptape_references_look_up(struct omptape_writer *writer,
                                                const struct omptape_location *location,
                                                enum omptape_region_kind kind, uint64_t address);

/* The same for the return address that was reported for a construct (omptape_sites_of): if it was met lately;
 * NULL: it was not. */
static inline const struct omptape_place *omptape_references_recall_met(const struct omptape_writer *writer,
                                                                        enum omptape_region_kind kind,
                                                                        uint64_t address)
{
    const struct omptape_known_place *known = &writer->sites->places[omptape_references_near(kind, address)];
    return __builtin_expect(known->key == omptape_references_key(kind, address), 1) ? &known->place : NULL;
}

/* The same on this location, wherever it is. */
static inline struct omptape_place omptape_references_meet(struct omptape_writer *writer,
                                                           const struct omptape_location *location,
                                                           enum omptape_region_kind kind, uint64_t address)
{
    const struct omptape_place *known = omptape_references_recall_met(writer, kind, address);
    return known != NULL ? *known : omptape_references_look_up(writer, location, kind, address);
}

/* The region of something on a device that has a name of its own: a kernel's symbol. */
OTF2_RegionRef omptape_references_get_named(struct omptape_writer *writer, enum omptape_region_kind kind,
                                            const char *name);
