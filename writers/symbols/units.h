/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The compilation units of one module's debug info, and which addresses belong to which.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_UNITS_H
#define OMPTAPE_WRITERS_SYMBOLS_UNITS_H

#include "writers/symbols/unit.h"

struct omptape_units;

/* Reads the address ranges of all units. `debug_file` and `file`: where the Dwarf comes from, and the module
 * (either may be NULL); beside them a package of split units may lie. The Dwarf is not copied. NULL when
 * there is no memory. */
struct omptape_units *omptape_units_create(Dwarf *dwarf, const char *debug_file, const char *file);
void omptape_units_free(struct omptape_units *units);

/* The unit that the address (of the debug info) belongs to, with its functions read; NULL if there is none.
 */
struct omptape_unit *omptape_units_find(struct omptape_units *units, Dwarf_Addr address);

#endif
