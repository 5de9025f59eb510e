/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Line table of a unit: maps addresses to lines.
 */
#pragma once

#include "src/core/store.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Sets file and line of the address. The file is a full path if the debug information has one; `strings`
 * owns it. `unit` is the entry that owns the line table. Returns false if the table has no line. */
bool omptape_lines_find(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings, const char **file,
                        unsigned *line);

/* Does the same for the first row exactly at the address that begins a statement. There a function starts,
 * even if its first instruction belongs to another line. */
bool omptape_lines_find_first(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings,
                              const char **file, unsigned *line);

/* Returns true if a statement of this file (from omptape_lines_find) and line begins from `low` to `high`. */
bool omptape_lines_start(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned line);

/* Sets the first and last line of this file (from omptape_lines_find) with code from `low` to `high`.
 * Returns false if there is none or `low` is 0. */
bool omptape_lines_range(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned *first, unsigned *last);

/* True if code from `low` to `high` is of the file (omptape_lines_find), with lines from `first` to
 * `last`. */
bool omptape_lines_any(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                       const char *file, unsigned first, unsigned last);

/* Returns true if the code from `low` to `high` has a line without code from `other_low` to `other_high`.
 * Also returns true if there is too much to compare. */
bool omptape_lines_differ(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Addr other_low,
                          Dwarf_Addr other_high);

/* Sets the start of the row to which the address belongs. Returns false if the table has none. */
bool omptape_lines_row(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Addr *start);

/* Sets file and line of the function's declaration, as omptape_lines_find does. `unit` is used if the
 * entry's own unit has no file table. Returns false if the entry does not have them. */
bool omptape_lines_declaration(Dwarf_Die *unit, Dwarf_Die *function, struct omptape_rows *strings,
                               const char **file, unsigned *line);

/* Sets file and line of the call of an inlined function. */
bool omptape_lines_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct omptape_rows *strings, const char **file,
                        unsigned *line);
