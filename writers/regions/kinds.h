/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OTF2 role of each region kind, and the runtime's functions that begin it. Constant data; used when the
 * definitions are written.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/mpi/functions.h"
#include "writers/regions/regions.h"

#include <otf2/otf2.h>

OTF2_RegionRole omptape_region_role(const struct omptape_region *region);

/* Returns the MPI function that the region calls, or NULL if it calls none. */
const struct omptape_mpi_function *omptape_region_mpi_function(const struct omptape_region *region);

/* Returns the functions that compilers call where a region of this kind begins. They distinguish the place
 * of a call from the caller of a tail call (writers/symbols/symbols.h). The list ends with NULL; a '*' at
 * a name's end matches any suffix. The list is empty if none are known. */
const char *const *omptape_region_callees(enum omptape_region_kind kind);

/* Returns those functions for which runtimes report no address. */
const char *const *omptape_region_callees_inside(enum omptape_region_kind kind);

/* True for constructs with a separate runtime call, never part of a parallel region's or barrier's. */
bool omptape_region_is_own_call(enum omptape_region_kind kind);

/* Returns the kind of an ompt_work_t, or a loop if the type is unknown. */
enum omptape_region_kind omptape_region_of_work(unsigned type);
/* Returns the kind of an ompt_target_data_op_t, or an allocation if the type is unknown. */
enum omptape_region_kind omptape_region_of_operation(unsigned type);
