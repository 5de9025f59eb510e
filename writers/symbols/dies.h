/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading single entries (DIEs) of the debug info: strings, address ranges, the scopes around an entry.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

/* No real program nests scopes deeper; damaged debug info may. */
enum { OMPTAPE_MAX_DIE_DEPTH = 64 };

/* A string attribute, the entry's own or of its origin; NULL if there is none. Lives as long as the Dwarf. */
const char *omptape_die_string(Dwarf_Die *die, unsigned attribute);

/* The name that the linker knows, or NULL. */
const char *omptape_die_linkage_name(Dwarf_Die *die);

/* A step through the address ranges of an entry; all zero at first. */
struct omptape_die_ranges {
    ptrdiff_t offset;
    Dwarf_Addr base;
};

/* The entry's next range; false after the last one. `relative_base` is added to ranges that the entry gives
 * relative to a unit's start that libdw does not know (package.h); 0 if it knows. */
bool omptape_die_next_range(Dwarf_Die *die, Dwarf_Addr relative_base, struct omptape_die_ranges *ranges,
                            Dwarf_Addr *low, Dwarf_Addr *high);

bool omptape_die_covers(Dwarf_Die *die, Dwarf_Addr relative_base, Dwarf_Addr address);

/* The entry's plain name behind those of the scopes around its origin, "space::class::name", functions too.
 * Template arguments are left out. The caller frees it; NULL if it has no name. */
char *omptape_die_path(Dwarf_Die *die);
