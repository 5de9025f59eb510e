/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of call sites that need more than an address. Called for each region whose address is
 * not in the caches (references.h).
 */
#include "writers/regions/sites.h"

#include "src/core/array.h"
#include "writers/regions/kinds.h"
#include "writers/state/writer.h"
#include "writers/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for a site that its own address identifies. */
static bool is_own(const struct omptape_writer *writer, uint64_t site)
{
    return (site & OMPTAPE_SITE_INDIRECT) == 0 || omptape_sites_look_up(writer->sites, site).code != 0;
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
        struct omptape_site around = omptape_sites_look_up(writer->sites, site);
        return omptape_symbols_in_runtime(writer->symbols, around.address) ? around.parent : 0;
    }
    return 0;
}

/* Returns the site's number in the table, with OMPTAPE_SITE_INDIRECT. Returns its address if memory is
 * exhausted. */
static uint64_t number_site(struct omptape_sites *sites, struct omptape_site site)
{
    uint64_t key = site.address * 31 + site.parent + ((uint64_t)site.code << 32);
    key += key == 0;
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&sites->index, key, entry)) != NULL) {
        const struct omptape_site *there = &sites->list[entry->number];
        if (there->address == site.address && there->parent == site.parent && there->code == site.code)
            return OMPTAPE_SITE_INDIRECT | entry->number;
    }
    struct omptape_site *list =
        omptape_array_reserve(sites->list, sites->count + 1, &sites->capacity, sizeof(*list));
    if (list != NULL)
        sites->list = list;
    if (list == NULL || omptape_hash_join(&sites->index, key, sites->count) != 0)
        return site.address;
    list[sites->count] = site;
    return OMPTAPE_SITE_INDIRECT | sites->count++;
}

/* Returns true for calls during which other tasks may run. */
static bool is_join(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_PARALLEL || kind == OMPTAPE_REGION_BARRIER ||
           kind == OMPTAPE_REGION_IMPLICIT_BARRIER || kind == OMPTAPE_REGION_IMPLEMENTATION_BARRIER;
}

/* Returns the site of the innermost construct of the current task, or of the task. Returns 0 if it is
 * unknown. */
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

static size_t place_of(uint64_t address)
{
    return (address ^ address >> 8) % OMPTAPE_PLAIN_SITES;
}

/* Fills in the cache entry of an address that was not in the cache. */
static void meet_address(struct omptape_writer *writer, struct omptape_known_site *plain, uint64_t address)
{
    struct omptape_site site = {.address = address, .code = omptape_symbols_code(writer->symbols, address)};
    *plain = (struct omptape_known_site){
        .address = address,
        .site = site.code != 0 ? number_site(writer->sites, site) : address,
        .joins = omptape_hash_get(&writer->sites->joins, address) != NULL,
    };
}

uint64_t omptape_sites_of(struct omptape_writer *writer, const struct omptape_location *location,
                          enum omptape_region_kind kind, uint64_t address)
{
    struct omptape_sites *sites = writer->sites;
    struct omptape_known_site *plain = &sites->plain[place_of(address)];
    if (address == 0)
        return kind == OMPTAPE_REGION_LOOP ? site_inside(writer, location, 0) : 0;
    if (address != plain->address) {
        if ((address & OMPTAPE_SITE_INDIRECT) != 0)
            return address;
        if (omptape_symbols_in_runtime(writer->symbols, address)) {
            struct omptape_site site = {.address = address, .parent = parent_of(writer, location)};
            return number_site(sites, site);
        }
        meet_address(writer, plain, address);
    }
    if (!plain->joins && is_join(kind)) {
        plain->joins = true;
        omptape_hash_put(&sites->joins, address, sites);
        memset(sites->places, 0, sizeof(sites->places));
    }
    return plain->joins && omptape_region_is_own_call(kind) ? site_inside(writer, location, address)
                                                            : plain->site;
}

bool omptape_sites_is_plain(const struct omptape_sites *sites, enum omptape_region_kind kind,
                            uint64_t address)
{
    const struct omptape_known_site *plain = &sites->plain[place_of(address)];
    return address != 0 && plain->address == address && !(plain->joins && omptape_region_is_own_call(kind));
}

struct omptape_site omptape_sites_look_up(const struct omptape_sites *sites, uint64_t site)
{
    uint64_t index = site & ~OMPTAPE_SITE_INDIRECT;
    if ((site & OMPTAPE_SITE_INDIRECT) != 0 && index < sites->count)
        return sites->list[index];
    return (struct omptape_site){.address = site};
}

bool omptape_sites_is_runtime(const struct omptape_sites *sites, uint64_t site)
{
    struct omptape_site look = omptape_sites_look_up(sites, site);
    return (site & OMPTAPE_SITE_INDIRECT) != 0 && look.code == 0 && look.parent == 0;
}

void omptape_sites_forget(struct omptape_sites *sites)
{
    memset(sites->plain, 0, sizeof(sites->plain));
    memset(sites->places, 0, sizeof(sites->places));
}

void omptape_sites_free(struct omptape_sites *sites)
{
    free(sites->list);
    omptape_hash_free(&sites->index);
    omptape_hash_free(&sites->joins);
}
