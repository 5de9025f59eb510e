/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Call sites that an address alone does not identify. An outlined function jumps to a runtime function that
 * it calls at its very end. The return address then lies in the runtime and is the same for all such
 * constructs: the construct around them distinguishes these. Libraries that are loaded in turn lie at the
 * same addresses: the code that was there at the time distinguishes these. For some constructs of gcc's
 * programs LLVM's runtime reports the address of another call. This is the parallel region or barrier at
 * whose end a task runs, for the first construct in the task. Such a construct gets the name of what is
 * around it.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/hash.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_writer;
struct omptape_location;

/* Set in a site that is a number in the table below, not an address: above all addresses, below a region's
 * kind. */
#define OMPTAPE_SITE_INDIRECT (UINT64_C(1) << 55)

struct omptape_site {
    uint64_t address; /* 0: not known */
    uint64_t parent;  /* where that is so, or lies in the runtime: site of the construct around it, or 0 */
    uint32_t code;    /* which code was there (writers/symbols/symbols.h) */
};

struct omptape_known_site {
    uint64_t address;
    uint64_t site;
    bool joins; /* of a call in which other tasks may run: parallel's, a barrier's */
};

/* Where a construct is. */
struct omptape_place {
    uint64_t site;
    OTF2_RegionRef region; /* of the construct there (references.h) */
};

struct omptape_known_place {
    uint64_t key; /* of a kind and an address; 0: none */
    struct omptape_place place;
};

enum { OMPTAPE_PLAIN_SITES = 256, OMPTAPE_NEAR_PLACES = 512 };

struct omptape_sites {
    struct omptape_site *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    struct omptape_hash joins; /* addresses at which `joins` holds */
    /* Addresses found to lie outside of the runtime, each in its place. */
    struct omptape_known_site plain[OMPTAPE_PLAIN_SITES];
    /* What constructs of these were met lately, as long as that is so; kept by references.h. */
    struct omptape_known_place places[OMPTAPE_NEAR_PLACES];
};

/* The site for a return address that was reported for a construct of this kind on this location. It is the
 * address itself, with three exceptions. It may lie in the runtime, may not belong to the construct, or
 * other code was there before. A site is returned as it is. */
uint64_t omptape_sites_of(struct omptape_writer *writer, const struct omptape_location *location,
                          enum omptape_region_kind kind, uint64_t address);

/* Is that site the address' own, wherever it is reported? Asked after it was looked for. */
bool omptape_sites_is_plain(const struct omptape_sites *sites, enum omptape_region_kind kind,
                            uint64_t address);

/* Does it lie in the runtime, with no construct around it? */
bool omptape_sites_is_runtime(const struct omptape_sites *sites, uint64_t site);

/* What a site stands for. */
struct omptape_site omptape_sites_look_up(const struct omptape_sites *sites, uint64_t site);

/* To be called when other code came to where addresses point. */
void omptape_sites_forget(struct omptape_sites *sites);

void omptape_sites_free(struct omptape_sites *sites);
