/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The runtime's functions behind each construct: what the compilers' code calls where a region of this kind
 * begins. Used when the definitions are written, to tell a call's own place from that of a tail call's caller
 * (writers/symbols/symbols.h).
 */
#ifndef OMPTAPE_WRITERS_REGIONS_CALLEES_H
#define OMPTAPE_WRITERS_REGIONS_CALLEES_H

#include "writers/regions/regions.h"

/* Names ended by NULL, a '*' at a name's end standing for anything; an empty list where nothing is known. */
const char *const *omptape_callees(enum omptape_region_kind kind);

#endif
