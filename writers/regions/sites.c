/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of call sites that have more to them than an address. Asked for each region that is entered.
 */
#include "writers/regions/sites.h"

#include "src/core/array.h"
#include "writers/model/model.h"
#include "writers/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* The site of the innermost construct around that has one of its own. */
static uint64_t parent_of(const struct omptape_writer *writer, const struct omptape_location *location)
{
    for (uint32_t i = location->stack.region_count; i > 0; i--) {
        uint64_t site = location->stack.regions[i - 1].site;
        if (site == 0)
            continue;
        struct omptape_site around = omptape_sites_look_up(writer->sites, site);
        bool own = (site & OMPTAPE_SITE_INDIRECT) == 0 || around.code != 0;
        return own ? site : around.parent;
    }
    return 0;
}

/* The number of a site in the table, as a site; its address where there is no memory. */
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

uint64_t omptape_sites_of(struct omptape_writer *writer, const struct omptape_location *location,
                          uint64_t address)
{
    struct omptape_sites *sites = writer->sites;
    struct omptape_known_site *plain = &sites->plain[(address ^ address >> 8) % OMPTAPE_PLAIN_SITES];
    if (address == plain->address)
        return plain->site;
    if ((address & OMPTAPE_SITE_INDIRECT) != 0)
        return address;
    struct omptape_site site = {.address = address};
    if (address != 0 && omptape_symbols_in_runtime(writer->symbols, address)) {
        site.parent = parent_of(writer, location);
        return number_site(sites, site);
    }
    site.code = omptape_symbols_code(writer->symbols, address);
    *plain = (struct omptape_known_site){address, site.code != 0 ? number_site(sites, site) : address};
    return plain->site;
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
}

void omptape_sites_free(struct omptape_sites *sites)
{
    free(sites->list);
    omptape_hash_free(&sites->index);
}
