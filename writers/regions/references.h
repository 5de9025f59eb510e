/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Assigns references of regions while the trace is written.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/regions/sites.h"
#include "writers/state/writer.h"

struct omptape_references {
    /* Cache of recent regions, direct-mapped; key 0: empty. */
    struct {
        uint64_t key;
        OTF2_RegionRef region;
    } cache[OMPTAPE_REGION_CACHE_SIZE];
    struct omptape_region *list; /* Indexed by reference. */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index; /* Maps (site, kind) to reference + 1. */
    char packed[256];          /* First module whose debug information could not be decompressed; "": none. */
};

/* Creates writer->references, ->sites, ->sources and ->contexts. Returns 0 or -ENOMEM. */
int omptape_references_create(struct omptape_writer *writer);
void omptape_references_free(struct omptape_writer *writer);

/* The kind fits into the top byte, because addresses of code have it free on every supported machine. */
static inline uint64_t omptape_references_key(enum omptape_region_kind kind, uint64_t site)
{
    return site ^ ((uint64_t)(kind + 1) << 56);
}
static inline size_t omptape_references_cache_index(enum omptape_region_kind kind, uint64_t site)
{
    return (site ^ site >> 8 ^ (uint64_t)kind * 37) % OMPTAPE_REGION_CACHE_SIZE;
}
/* Looks up or adds a region that is not in the cache. */
OTF2_RegionRef omptape_references_find(struct omptape_writer *writer, enum omptape_region_kind kind,
                                       uint64_t site);

/* Looks up the region of a construct at a call site in the cache. Returns NULL if it is not there. */
static inline const OTF2_RegionRef *omptape_references_cached(const struct omptape_writer *writer,
                                                              enum omptape_region_kind kind, uint64_t site)
{
    const struct omptape_references *references = writer->references;
    size_t index = omptape_references_cache_index(kind, site);
    return __builtin_expect(references->cache[index].key == omptape_references_key(kind, site), 1)
               ? &references->cache[index].region
               : NULL;
}

/* Returns the region of a construct at a call site, or OTF2_UNDEFINED_REGION if out of memory. Reads the
 * program's memory map if the site is in no known module and the program still runs. */
static inline OTF2_RegionRef omptape_references_get(struct omptape_writer *writer,
                                                    enum omptape_region_kind kind, uint64_t site)
{
    const OTF2_RegionRef *cached = omptape_references_cached(writer, kind, site);
    return cached != NULL ? *cached : omptape_references_find(writer, kind, site);
}

/* Looks up site and region of a return address that is not in the cache. */
struct omptape_site_region omptape_references_find_at(struct omptape_writer *writer,
                                                      const struct omptape_location *location,
                                                      enum omptape_region_kind kind, uint64_t address);

/* Looks up site and region of a reported return address (omptape_sites_of) in the cache, or returns NULL. */
static inline const struct omptape_site_region *
omptape_references_cached_at(const struct omptape_writer *writer, enum omptape_region_kind kind,
                             uint64_t address)
{
    const struct omptape_cached_region *cached =
        &writer->sites->region_cache[omptape_references_cache_index(kind, address)];
    return __builtin_expect(cached->key == omptape_references_key(kind, address), 1) ? &cached->region : NULL;
}

/* Returns site and region of a construct's reported return address on this location. */
static inline struct omptape_site_region omptape_references_get_at(struct omptape_writer *writer,
                                                                   const struct omptape_location *location,
                                                                   enum omptape_region_kind kind,
                                                                   uint64_t address)
{
    const struct omptape_site_region *cached = omptape_references_cached_at(writer, kind, address);
    return cached != NULL ? *cached : omptape_references_find_at(writer, location, kind, address);
}

/* Returns the region of something on a device that is identified by name: a kernel's symbol. */
OTF2_RegionRef omptape_references_get_named(struct omptape_writer *writer, enum omptape_region_kind kind,
                                            const char *name);
