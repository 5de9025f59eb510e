/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Symbols of a module for code, and for the locks of clang's critical sections, sorted by address.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_symbol_table;

/* Prefix of the names of these locks; the section's name follows. */
#define OMPTAPE_SYMBOL_OF_LOCK ".gomp_critical_user_"

/* Reads the symbol tables of the module, its debug file and .gnu_debugdata; NULL if out of memory. */
struct omptape_symbol_table *omptape_symbol_table_create(Dwfl_Module *module);
void omptape_symbol_table_free(struct omptape_symbol_table *table);

struct omptape_symbol {
    uint64_t low, high;
    const char *name; /* The module owns the name. */
};

/* Finds the innermost symbol that contains the address. Returns false if there is none. */
bool omptape_symbol_table_find(const struct omptape_symbol_table *table, uint64_t address,
                               struct omptape_symbol *symbol);

/* Finds the start of the exported symbol of this name. Returns false if there is none. */
bool omptape_symbol_table_find_export(struct omptape_symbol_table *table, const char *name,
                                      uint64_t *address);
