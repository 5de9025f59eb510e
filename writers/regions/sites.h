/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Call sites that an address alone does not identify. There are four cases. (1) An outlined function jumps
 * to a runtime function that it calls as its last action. The return address then lies in the runtime and is
 * the same for all such constructs; the surrounding construct distinguishes them. (2) Libraries that are
 * loaded one after the other lie at the same addresses; the code loaded at the time distinguishes them. (3)
 * For some constructs compiled by gcc LLVM's runtime reports the address of another call. The first construct
 * in a task that runs at the end of a parallel region or barrier gets that region's or barrier's address.
 * Such a construct is named after its surrounding construct. (4) Constructs in a kernel of the program
 * (Kokkos) have its name as their label, because all kernels may run in the same code.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/hash.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_writer;
struct omptape_location;

/* Set in a site that is an index in the table below instead of an address. This bit is above all addresses
 * and below a region's kind. */
#define OMPTAPE_SITE_INDIRECT (UINT64_C(1) << 55)

struct omptape_site {
    uint64_t address; /* 0: unknown. */
    /* Site of the surrounding construct, or 0. Used if the address is unknown or in the runtime. */
    uint64_t parent;
    uint32_t code_id;     /* Number of the code loaded there at the time (writers/symbols/symbols.h). */
    OTF2_StringRef label; /* Name of the kernel around the construct; 0: none. */
    bool is_own;          /* With a label: true if the site without it is identified by its own address. */
};

struct omptape_cached_site {
    uint64_t address;
    uint64_t site;
    bool runs_other_tasks; /* True for a call during which other tasks may run: of a parallel region or
                              barrier. */
};

/* Site and region of a construct. */
struct omptape_site_region {
    uint64_t site;
    OTF2_RegionRef region; /* Region of the construct at the site (references.h). */
};

struct omptape_cached_region {
    uint64_t key; /* Key of kind and address; 0: empty. */
    struct omptape_site_region region;
};

enum { OMPTAPE_SITE_CACHE_SIZE = 256, OMPTAPE_REGION_CACHE_SIZE = 512 };

struct omptape_sites {
    struct omptape_site *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    struct omptape_hash runs_other_tasks; /* Addresses at which `runs_other_tasks` is true. */
    struct omptape_hash label_counts;     /* Maps sites without labels to the number of their labels. */
    bool has_kernels;                     /* True if a kernel has begun. */
    /* Direct-mapped cache of addresses outside the runtime. */
    struct omptape_cached_site site_cache[OMPTAPE_SITE_CACHE_SIZE];
    /* Direct-mapped cache of recent constructs at these addresses; maintained by references.h. */
    struct omptape_cached_region region_cache[OMPTAPE_REGION_CACHE_SIZE];
};

/* Returns the site of a return address that was reported for a construct of this kind on this location. It
 * is the address itself, unless that lies in the runtime, belongs to another construct, had other code
 * before, or is reached in a kernel. A site is returned unchanged. */
uint64_t omptape_sites_of(struct omptape_writer *writer, const struct omptape_location *location,
                          enum omptape_region_kind kind, uint64_t address);

/* Returns true if the result depends only on the address. Called after omptape_sites_of. */
bool omptape_sites_needs_only_address(const struct omptape_sites *sites, enum omptape_region_kind kind,
                                      uint64_t address);

/* Returns true if the site lies in the runtime and has no surrounding construct. */
bool omptape_sites_is_runtime(const struct omptape_sites *sites, uint64_t site);

/* Returns the address, parent and code of a site. */
struct omptape_site omptape_sites_get(const struct omptape_sites *sites, uint64_t site);

/* Called when a kernel begins, whose region is `region`. */
void omptape_sites_note_kernel(struct omptape_writer *writer, OTF2_RegionRef region);

/* Clears the caches. Called when other code was loaded at known addresses. */
void omptape_sites_clear_caches(struct omptape_sites *sites);

void omptape_sites_free(struct omptape_sites *sites);
