/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of regions. Called for each region that is entered and not in the caches.
 */
#include "writers/regions/references.h"

#include "src/core/array.h"
#include "writers/regions/contexts.h"
#include "writers/regions/modules.h"
#include "writers/regions/sources.h"

#include <errno.h>
#include <stdlib.h>

int omptape_references_create(struct omptape_writer *writer)
{
    writer->references = calloc(1, sizeof(*writer->references));
    writer->sites = calloc(1, sizeof(*writer->sites));
    writer->sources = calloc(1, sizeof(*writer->sources));
    writer->contexts = calloc(1, sizeof(*writer->contexts));
    if (writer->references == NULL || writer->sites == NULL || writer->sources == NULL ||
        writer->contexts == NULL)
        return -ENOMEM;
    OTF2_RegionRef program = omptape_references_get(writer, OMPTAPE_REGION_PROGRAM, 0);
    return program == OMPTAPE_PROGRAM_REGION ? 0 : -ENOMEM;
}

void omptape_references_free(struct omptape_writer *writer)
{
    free(writer->references->list);
    omptape_hash_free(&writer->references->index);
    free(writer->references);
    omptape_modules_free(writer);
    omptape_sites_free(writer->sites);
    free(writer->sites);
    omptape_sources_free(writer->sources);
    free(writer->sources);
    omptape_rows_free(&writer->contexts->tree);
    omptape_rows_free(&writer->contexts->frames);
    omptape_pairs_free(&writer->contexts->codes);
    omptape_pairs_free(&writer->contexts->ranges);
    omptape_arena_free(&writer->contexts->arena);
    omptape_shared_lines_free(writer->contexts->lines);
    omptape_hash_free(&writer->contexts->starts);
    omptape_hash_free(&writer->contexts->calls);
    omptape_rows_free(&writer->contexts->encounters);
    free(writer->contexts->paths);
    free(writer->contexts->instances);
    omptape_sources_free(&writer->contexts->sources);
    free(writer->contexts);
}

static OTF2_RegionRef add_region(struct omptape_references *references, enum omptape_region_kind kind,
                                 uint64_t site)
{
    if (!OMPTAPE_RESERVE(references->list, references->count + 1, &references->capacity))
        return OTF2_UNDEFINED_REGION;
    references->list[references->count] = (struct omptape_region){.kind = kind, .site = site};
    return references->count++;
}

static OTF2_RegionRef number_region(struct omptape_writer *writer, enum omptape_region_kind kind,
                                    uint64_t site)
{
    struct omptape_references *references = writer->references;
    OTF2_RegionRef ref = add_region(references, kind, site);
    if (ref == OTF2_UNDEFINED_REGION)
        return ref;
    omptape_hash_put(&references->index, omptape_references_key(kind, site), (void *)(uintptr_t)(ref + 1));
    const struct omptape_site where = omptape_sites_get(writer->sites, site);
    if (where.is_own || (site != 0 && (site & (OMPTAPE_SITE_INDIRECT | OMPTAPE_SITE_NAMED)) == 0))
        omptape_modules_cover(writer, where.address);
    return ref;
}

OTF2_RegionRef omptape_references_find(struct omptape_writer *writer, enum omptape_region_kind kind,
                                       uint64_t site)
{
    struct omptape_references *references = writer->references;
    uint64_t key = omptape_references_key(kind, site);
    uint32_t known = (uint32_t)(uintptr_t)omptape_hash_get(&references->index, key);
    OTF2_RegionRef ref = known != 0 ? known - 1 : number_region(writer, kind, site);
    if (ref != OTF2_UNDEFINED_REGION) {
        size_t index = omptape_references_cache_index(kind, site);
        references->cache[index].key = key;
        references->cache[index].region = ref;
    }
    return ref;
}

struct omptape_site_region omptape_references_find_at(struct omptape_writer *writer,
                                                      const struct omptape_location *location,
                                                      enum omptape_region_kind kind, uint64_t address)
{
    uint64_t site = omptape_sites_of(writer, location, kind, address);
    struct omptape_site_region found = {.site = site, .region = omptape_references_get(writer, kind, site)};
    if (found.region != OTF2_UNDEFINED_REGION &&
        omptape_sites_needs_only_address(writer->sites, kind, address))
        writer->sites->region_cache[omptape_references_cache_index(kind, address)] =
            (struct omptape_cached_region){omptape_references_key(kind, address), found};
    return found;
}

OTF2_RegionRef omptape_references_get_named(struct omptape_writer *writer, enum omptape_region_kind kind,
                                            const char *name)
{
    return omptape_references_get(writer, kind,
                                  OMPTAPE_SITE_NAMED | omptape_archive_string(&writer->strings, name));
}
