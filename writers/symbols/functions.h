/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of a compilation unit: maps an address to the function as the user sees it.
 */
#pragma once

#include "src/core/store.h"
#include "writers/symbols/package.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct omptape_functions;

/* Languages with different names of functions. */
enum omptape_language { OMPTAPE_LANGUAGE_OTHER, OMPTAPE_LANGUAGE_CXX, OMPTAPE_LANGUAGE_FORTRAN };

/* A compilation unit of a module's debug information. Created by module.c. */
struct omptape_unit {
    Dwarf_Die lines; /* The unit's entry in the program: line table, compilation folder. */
    Dwarf_Die tree;  /* The entry that contains the functions: the same one, or the split unit's. */
    bool opened;     /* True if the following members are set. */
    enum omptape_language language;
    bool is_unoptimised; /* See optimisation.h. */
    struct omptape_package_unit package;
    struct omptape_functions *functions; /* NULL if they could not be read. */
};

/* Reads the unit's functions (unit->tree). Returns NULL if out of memory, or if the
 * tree is deeper and larger than compilers make it. */
struct omptape_functions *omptape_functions_create(const struct omptape_unit *unit);
void omptape_functions_free(struct omptape_functions *functions);

/* Returns the name of the user's function around the address: the innermost inlined one. For a function
 * that the compiler made of a construct's body it is the function that contains the construct. `file` and
 * `line` are the results of omptape_lines_find for the address (NULL and 0: unknown). Considers only the
 * first `inlined` inlined functions. *plain receives whether it is a C++ function without arguments, whose
 * symbol may have more. The caller frees the name. Returns NULL if the debug information has none. */
char *omptape_functions_name(const struct omptape_unit *unit, Dwarf_Addr address,
                             struct omptape_rows *strings, const char *file, unsigned line, size_t inlined,
                             bool *plain);

/* Sets file and line of the declaration of the function with code at the address, as omptape_lines_find
 * does. For a function made by the compiler these are the construct's. Returns false if the debug
 * information does not have them. */
bool omptape_functions_declaration(const struct omptape_unit *unit, Dwarf_Addr address,
                                   struct omptape_rows *strings, const char **file, unsigned *line);

/* Set the call of the function that was inlined at the address at this depth (0: outermost), and its code,
 * range by range. File and line are as in omptape_lines_find. Return false if there is none, or the debug
 * information does not have it. */
bool omptape_functions_inlined_call(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                    struct omptape_rows *strings, const char **file, unsigned *line);
bool omptape_functions_inlined_range(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                     size_t index, Dwarf_Addr *low, Dwarf_Addr *high);

/* Returns true if a function called on this line was inlined into the function with code at the address. */
bool omptape_functions_inlined_at(const struct omptape_unit *unit, Dwarf_Addr address, unsigned line);

/* Returns true if a function of the unit is declared there. */
bool omptape_functions_any_at(const struct omptape_unit *unit, struct omptape_rows *strings, const char *file,
                              unsigned line);
