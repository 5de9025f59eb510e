/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads single entries (DIEs) of the debug information: strings, address ranges, surrounding scopes.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Limit of nested scopes: real programs stay below it, damaged debug information may not. */
enum { OMPTAPE_MAX_DIE_DEPTH = 64 };

/* Limits what a walk through a unit's tree reads, because damaged trees may be endless. To find a sibling,
 * libdw reads all entries below the entry. The bytes of nested scopes so count once for each scope. */
struct omptape_die_walk {
    uint64_t bytes; /* Read so far. */
};

/* Returns the offset at which the entry's unit ends. */
Dwarf_Off omptape_die_unit_end(Dwarf_Die *die);

/* Sets *next to the entry's next sibling. Returns false after the last one, and if the limit is reached.
 * `end` is the offset at which the scope around the entry ends at the latest. *own_end receives the same of
 * the entry. */
bool omptape_die_next(struct omptape_die_walk *walk, Dwarf_Die *die, Dwarf_Off end, Dwarf_Die *next,
                      Dwarf_Off *own_end);

bool omptape_die_walk_is_over_limit(const struct omptape_die_walk *walk);

/* Returns a string attribute of the entry or its origin, or NULL. The string lives as long as the Dwarf. */
const char *omptape_die_string(Dwarf_Die *die, unsigned attribute);

/* Returns the linkage name, or NULL. */
const char *omptape_die_linkage_name(Dwarf_Die *die);

/* Position in the address ranges of an entry; all zeros at first. */
struct omptape_die_ranges {
    ptrdiff_t offset;
    Dwarf_Addr base;
};

/* Reads the entry's next range. Returns false after the last one. `relative_base` is added to ranges
 * relative to a unit's start that libdw does not know (package.h); 0 if libdw knows it. */
bool omptape_die_next_range(Dwarf_Die *die, Dwarf_Addr relative_base, struct omptape_die_ranges *ranges,
                            Dwarf_Addr *low, Dwarf_Addr *high);

bool omptape_die_covers(Dwarf_Die *die, Dwarf_Addr relative_base, Dwarf_Addr address);

/* Returns the entry's plain name after the names of the scopes around its origin, including functions:
 * "space::class::name". Omits template arguments. The caller frees the name. NULL if there is none. */
char *omptape_die_path(Dwarf_Die *die);
