/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A unit's line table: which line an address belongs to.
 */
#pragma once

#include "src/core/store.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* File and line of the address. The file is a full path where the debug information has one, and belongs to
 * `strings`. `unit` is the entry that the line table belongs to. False when the table does not know. */
bool omptape_lines_find(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings, const char **file,
                        unsigned *line);

/* As omptape_lines_find, for the first row exactly at the address that begins a statement. This is where a
 * function starts that is its own line, even if its first instruction belongs to another line. */
bool omptape_lines_find_first(Dwarf_Die *unit, Dwarf_Addr address, struct omptape_rows *strings,
                              const char **file, unsigned *line);

/* True if a statement of this file (as omptape_lines_find gave it) and line begins from `low` to `high`. */
bool omptape_lines_start(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned line);

/* The first and the last line of this file (as omptape_lines_find gave it) that have code from `low` to
 * `high`. False: none has, or `low` is 0. */
bool omptape_lines_range(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                         const char *file, unsigned *first, unsigned *last);

/* True if there is code from `low` to `high` of this file (as omptape_lines_find gave it), of a line from
 * `first` to `last`. */
bool omptape_lines_any(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, struct omptape_rows *strings,
                       const char *file, unsigned first, unsigned last);

/* True if code from `low` to `high` is of a line that none from `other_low` to `other_high` is of, or if
 * there is too much to compare. */
bool omptape_lines_differ(Dwarf_Die *unit, Dwarf_Addr low, Dwarf_Addr high, Dwarf_Addr other_low,
                          Dwarf_Addr other_high);

/* Where the row begins that the address belongs to. False when the table does not know. */
bool omptape_lines_row(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Addr *start);

/* File and line where the function was declared, in the same words. `unit` serves where the entry's own unit
 * has no file table. False when the entry does not say. */
bool omptape_lines_declaration(Dwarf_Die *unit, Dwarf_Die *function, struct omptape_rows *strings,
                               const char **file, unsigned *line);

/* Likewise where an inlined function was called. */
bool omptape_lines_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct omptape_rows *strings, const char **file,
                        unsigned *line);
