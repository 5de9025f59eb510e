/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One compilation unit of a module's debug info. Made by module.c; its functions are functions.c's.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_UNIT_H
#define OMPTAPE_WRITERS_SYMBOLS_UNIT_H

#include "writers/symbols/package.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct omptape_functions;

/* As far as it matters for the names of functions. */
enum omptape_language { OMPTAPE_LANGUAGE_OTHER, OMPTAPE_LANGUAGE_CXX, OMPTAPE_LANGUAGE_FORTRAN };

struct omptape_unit {
    Dwarf_Die lines; /* the unit's entry in the program: line table, compilation folder */
    Dwarf_Die tree;  /* the unit's entry above its functions: the same, or that of the split unit */
    bool opened;     /* what follows is there */
    enum omptape_language language;
    struct omptape_package_unit package;
    struct omptape_functions *functions; /* NULL when there is no memory */
};

#endif
