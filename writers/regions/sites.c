/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of call sites that need more than an address.
 */
#include "writers/regions/sites.h"

#include "src/core/array.h"
#include "writers/regions/kinds.h"
#include "writers/regions/references.h"
#include "writers/state/writer.h"
#include "writers/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for a site that its own address identifies. */
static bool is_own(const struct omptape_writer *writer, uint64_t site)
{
    const struct omptape_site found = omptape_sites_get(writer->sites, site);
    return (site & OMPTAPE_SITE_INDIRECT) == 0 || found.code_id != 0 || found.is_own;
}

/* Returns the site of the innermost surrounding construct that its own address identifies. */
static uint64_t parent_of(const struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_stack *stack = &location->stack;
    for (const struct omptape_open_region *open = stack->top; open != stack->regions; open--) {
        uint64_t site = open->site;
        if (site == 0)
            continue;
        if (is_own(writer, site))
            return site;
        /* Constructs inside such a construct cannot be searched in its parent. */
        struct omptape_site around = omptape_sites_get(writer->sites, site);
        return omptape_symbols_in_runtime(writer->symbols, around.address) ? around.parent : 0;
    }
    return 0;
}

static uint64_t key_of(struct omptape_site site)
{
    const uint64_t key =
        site.address * 31 + site.parent + ((uint64_t)site.code_id << 32) + ((uint64_t)site.label << 20);
    return key + (key == 0);
}

/* Returns the site's number in the table, with OMPTAPE_SITE_INDIRECT. Returns 0 if it is not there. */
static uint64_t find_site(const struct omptape_sites *sites, struct omptape_site site)
{
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&sites->index, key_of(site), entry)) != NULL) {
        const struct omptape_site *there = &sites->list[entry->number];
        if (there->address == site.address && there->parent == site.parent &&
            there->code_id == site.code_id && there->label == site.label && there->is_own == site.is_own)
            return OMPTAPE_SITE_INDIRECT | entry->number;
    }
    return 0;
}

/* Returns the site's number in the table, with OMPTAPE_SITE_INDIRECT; its address if out of memory. */
static uint64_t number_site(struct omptape_sites *sites, struct omptape_site site)
{
    const uint64_t known = find_site(sites, site);
    if (known != 0)
        return known;
    if (!OMPTAPE_RESERVE(sites->list, sites->count + 1, &sites->capacity) ||
        omptape_hash_join(&sites->index, key_of(site), sites->count) != 0)
        return site.address;
    sites->list[sites->count] = site;
    return OMPTAPE_SITE_INDIRECT | sites->count++;
}

/* Returns true for calls during which other tasks may run. */
static bool runs_tasks(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_PARALLEL || kind == OMPTAPE_REGION_BARRIER ||
           kind == OMPTAPE_REGION_IMPLICIT_BARRIER || kind == OMPTAPE_REGION_IMPLEMENTATION_BARRIER;
}

/* Returns the site of the current task's innermost construct, or of the task. Returns 0 if it is unknown. */
static uint64_t innermost_of(const struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_stack *stack = &location->stack;
    for (const struct omptape_open_region *open = stack->top; open != stack->regions; open--)
        if (open->site != 0)
            return is_own(writer, open->site) ? open->site : 0;
    return 0;
}

/* Returns the site of a construct whose reported address may belong to another one. */
static uint64_t site_inside(struct omptape_writer *writer, const struct omptape_location *location,
                            uint64_t address)
{
    uint64_t parent = innermost_of(writer, location);
    return parent != 0 || address != 0
               ? number_site(writer->sites, (struct omptape_site){.address = address, .parent = parent})
               : 0;
}

static size_t cache_index(uint64_t address)
{
    return (address ^ address >> 8) % OMPTAPE_SITE_CACHE_SIZE;
}

/* Fills in the cache entry of an address that was not in the cache. */
static void fill_entry(struct omptape_writer *writer, struct omptape_cached_site *cached, uint64_t address)
{
    struct omptape_site site = {.address = address,
                                .code_id = omptape_symbols_code_id(writer->symbols, address)};
    *cached = (struct omptape_cached_site){
        .address = address,
        .site = site.code_id != 0 ? number_site(writer->sites, site) : address,
        .runs_other_tasks = omptape_hash_get(&writer->sites->runs_other_tasks, address) != NULL,
    };
}

/* Returns the name of the innermost kernel around the location's current construct, or 0. The members of a
 * team have the kernel's name in the site of their parallel region. */
static OTF2_StringRef label_of(const struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_stack *stack = &location->stack;
    for (const struct omptape_open_region *open = stack->top; open != stack->regions; open--) {
        if (open->region >= writer->references->count)
            continue;
        const struct omptape_region *region = &writer->references->list[open->region];
        if (region->is_kernel)
            return (OTF2_StringRef)(region->site & ~OMPTAPE_SITE_NAMED);
        if (region->kind == OMPTAPE_REGION_PARALLEL || region->kind == OMPTAPE_REGION_TEAMS)
            return omptape_sites_get(writer->sites, open->site).label;
    }
    return 0;
}

/* Returns the site with the label of the kernel around it. A site has no label in the kernels after its first
 * MAX_LABELS: programs may number their kernels. */
static uint64_t label_site(struct omptape_writer *writer, const struct omptape_location *location,
                           uint64_t site)
{
    enum { MAX_LABELS = 100 };
    struct omptape_sites *sites = writer->sites;
    struct omptape_site labelled = omptape_sites_get(sites, site);
    labelled.label = label_of(writer, location);
    if (labelled.label == 0)
        return site;
    labelled.is_own = is_own(writer, site);
    const uint64_t known = find_site(sites, labelled);
    if (known != 0)
        return known;
    const uintptr_t count = (uintptr_t)omptape_hash_get(&sites->label_counts, site);
    if (count >= MAX_LABELS || omptape_hash_put(&sites->label_counts, site, (void *)(count + 1)) != 0)
        return site;
    return number_site(sites, labelled);
}

static uint64_t site_without_label(struct omptape_writer *writer, const struct omptape_location *location,
                                   enum omptape_region_kind kind, uint64_t address)
{
    struct omptape_sites *sites = writer->sites;
    struct omptape_cached_site *cached = &sites->site_cache[cache_index(address)];
    if (address == 0)
        return kind == OMPTAPE_REGION_LOOP ? site_inside(writer, location, 0) : 0;
    if (address != cached->address) {
        if (omptape_symbols_in_runtime(writer->symbols, address)) {
            struct omptape_site site = {.address = address, .parent = parent_of(writer, location)};
            return number_site(sites, site);
        }
        fill_entry(writer, cached, address);
    }
    if (!cached->runs_other_tasks && runs_tasks(kind)) {
        cached->runs_other_tasks = true;
        omptape_hash_put(&sites->runs_other_tasks, address, sites);
        memset(sites->region_cache, 0, sizeof(sites->region_cache));
    }
    return cached->runs_other_tasks && omptape_region_is_own_call(kind)
               ? site_inside(writer, location, address)
               : cached->site;
}

uint64_t omptape_sites_of(struct omptape_writer *writer, const struct omptape_location *location,
                          enum omptape_region_kind kind, uint64_t address)
{
    if ((address & OMPTAPE_SITE_INDIRECT) != 0)
        return address;
    const uint64_t site = site_without_label(writer, location, kind, address);
    const bool may_have_label = writer->sites->has_kernels && site != 0 && kind < OMPTAPE_REGION_CHOICES;
    return may_have_label ? label_site(writer, location, site) : site;
}

bool omptape_sites_needs_only_address(const struct omptape_sites *sites, enum omptape_region_kind kind,
                                      uint64_t address)
{
    const struct omptape_cached_site *cached = &sites->site_cache[cache_index(address)];
    return address != 0 && cached->address == address && !sites->has_kernels &&
           !(cached->runs_other_tasks && omptape_region_is_own_call(kind));
}

struct omptape_site omptape_sites_get(const struct omptape_sites *sites, uint64_t site)
{
    uint64_t index = site & ~OMPTAPE_SITE_INDIRECT;
    if ((site & OMPTAPE_SITE_INDIRECT) != 0 && index < sites->count)
        return sites->list[index];
    return (struct omptape_site){.address = site};
}

bool omptape_sites_is_runtime(const struct omptape_sites *sites, uint64_t site)
{
    struct omptape_site found = omptape_sites_get(sites, site);
    return (site & OMPTAPE_SITE_INDIRECT) != 0 && found.code_id == 0 && found.parent == 0 && !found.is_own;
}

void omptape_sites_note_kernel(struct omptape_writer *writer, OTF2_RegionRef region)
{
    writer->references->list[region].is_kernel = true;
    if (!writer->sites->has_kernels)
        omptape_sites_clear_caches(writer->sites);
    writer->sites->has_kernels = true;
}

void omptape_sites_clear_caches(struct omptape_sites *sites)
{
    memset(sites->site_cache, 0, sizeof(sites->site_cache));
    memset(sites->region_cache, 0, sizeof(sites->region_cache));
}

void omptape_sites_free(struct omptape_sites *sites)
{
    free(sites->list);
    omptape_hash_free(&sites->index);
    omptape_hash_free(&sites->runs_other_tasks);
    omptape_hash_free(&sites->label_counts);
}
