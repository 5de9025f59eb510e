/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of one unit: which one an address belongs to, as the user sees it.
 */
#pragma once

#include "src/core/store.h"
#include "writers/symbols/package.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct omptape_functions;

/* As far as it matters for the names of functions. */
enum omptape_language { OMPTAPE_LANGUAGE_OTHER, OMPTAPE_LANGUAGE_CXX, OMPTAPE_LANGUAGE_FORTRAN };

/* One compilation unit of a module's debug info. Made by module.c. */
struct omptape_unit {
    Dwarf_Die lines; /* the unit's entry in the program: line table, compilation folder */
    Dwarf_Die tree;  /* the unit's entry above its functions: the same, or that of the split unit */
    bool opened;     /* what follows is there */
    enum omptape_language language;
    struct omptape_package_unit package;
    struct omptape_functions *functions; /* NULL when there is no memory */
};

/* Reads the unit's functions (unit->tree). NULL when there is no memory. */
struct omptape_functions *omptape_functions_create(const struct omptape_unit *unit);
void omptape_functions_free(struct omptape_functions *functions);

/* Name of the user's function around the address: the innermost inlined one. In a function that the compiler
 * made of a construct's body it is the function that the construct stands in. `file` and `line` are those of
 * omptape_lines_find for the address (NULL and 0: unknown). Of the functions inlined there the first
 * `inlined` count. *plain: a C++ function without its arguments, whose symbol at the address may have more.
 * The caller frees the name; NULL when the debug information has none. */
char *omptape_functions_name(const struct omptape_unit *unit, Dwarf_Addr address,
                             struct omptape_rows *strings, const char *file, unsigned line, size_t inlined,
                             bool *plain);

/* File and line of the declaration of the function that has code at the address, as omptape_lines_find
 * returns them. For a function that the compiler made, where its construct stands. False when the debug
 * information does not have it. */
bool omptape_functions_declaration(const struct omptape_unit *unit, Dwarf_Addr address,
                                   struct omptape_rows *strings, const char **file, unsigned *line);

/* Where the function is called that was inlined at the address at this depth (0: the outermost), as
 * omptape_lines_find returns it. Also its code, range by range. False when there is none, or the debug
 * information does not have it. */
bool omptape_functions_inlined_call(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                    struct omptape_rows *strings, const char **file, unsigned *line);
bool omptape_functions_inlined_range(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                     size_t index, Dwarf_Addr *low, Dwarf_Addr *high);

/* True if the function that has code at the address calls one on this line that was inlined into it. */
bool omptape_functions_inlined_at(const struct omptape_unit *unit, Dwarf_Addr address, unsigned line);

/* True if the user declared a function of the unit there. */
bool omptape_functions_any_at(const struct omptape_unit *unit, struct omptape_rows *strings, const char *file,
                              unsigned line);
