/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTF2 regions: one for each (kind of construct, call site). References are assigned while the trace is
 * written (references.h). Names, files and lines are resolved when the definitions are written (names.h).
 */
#pragma once

#include "src/core/constructs.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

/* Set in a site that is the reference of a name, or the number of an MPI function, instead of an address.
 * This bit is below OMPTAPE_SITE_INDIRECT and above all addresses. */
#define OMPTAPE_SITE_NAMED (UINT64_C(1) << 54)

struct omptape_region {
    enum omptape_region_kind kind;
    uint64_t site;     /* codeptr_ra, or 0. */
    uint32_t function; /* MPI_CALL: number of the MPI function, from 1; 0: unknown. */
    uint32_t group;    /* USER: string with the name of its group; 0: none. */
    bool is_kernel;    /* USER: its name labels the OpenMP regions in it. */
};

static inline bool omptape_region_is_named(const struct omptape_region *region)
{
    return region->kind != OMPTAPE_REGION_MPI && (region->site & OMPTAPE_SITE_NAMED) != 0 &&
           region->site >> 55 == 0;
}
