/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTF2 regions: one for each (kind of construct, call site). References are given out while the trace
 * streams (references.h); names, files and lines are found when the definitions are written (names.h).
 */
#pragma once

#include "src/core/constructs.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* Set in a site that is the reference of a name instead, or the number of a function of MPI's: below
 * OMPTAPE_SITE_INDIRECT, above all addresses. */
#define OMPTAPE_SITE_NAMED (UINT64_C(1) << 54)

struct omptape_region {
    enum omptape_region_kind kind;
    uint64_t site;     /* codeptr_ra, or 0 */
    uint32_t function; /* MPI_CALL: of MPI's, counted from 1; 0: not known */
    uint32_t group;    /* USER: the name of its group, a string; 0: it is in none */
};

static inline bool omptape_region_is_named(const struct omptape_region *region)
{
    return region->kind != OMPTAPE_REGION_MPI && (region->site & OMPTAPE_SITE_NAMED) != 0 &&
           region->site >> 55 == 0;
}
