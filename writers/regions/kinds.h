/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region of each kind is in the archive, and the runtime's functions behind it. Constant data; used
 * when the definitions are written.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/mpi/functions.h"
#include "writers/regions/regions.h"

#include <otf2/otf2.h>

OTF2_RegionRole omptape_region_role(const struct omptape_region *region);

/* What it is a call of; NULL: of none of MPI's functions. */
const struct omptape_mpi_function *omptape_region_mpi_function(const struct omptape_region *region);

/* The functions that compilers call where a region of this kind begins. They distinguish the place of a call
 * from that of a tail call's caller (writers/symbols/symbols.h). Names end with NULL, and a '*' at a name's
 * end stands for anything. The list is empty where nothing is known. */
const char *const *omptape_region_callees(enum omptape_region_kind kind);

/* The same of those for which runtimes report no address of their own. */
const char *const *omptape_region_callees_inside(enum omptape_region_kind kind);

/* True for constructs that are calls of their own, never a part of what a parallel region or a barrier calls.
 */
bool omptape_region_is_own_call(enum omptape_region_kind kind);

/* The kind of an ompt_work_t; a loop for those that are not known. */
enum omptape_region_kind omptape_region_of_work(unsigned type);
/* The kind of an ompt_target_data_op_t; an allocation for those that are not known. */
enum omptape_region_kind omptape_region_of_operation(unsigned type);
