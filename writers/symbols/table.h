/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The symbols of one module that hold code, and the locks of clang's critical sections, in the order of their
 * addresses.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_symbol_table;

/* What begins the names of these locks; behind it comes the section's name. */
#define OMPTAPE_SYMBOL_OF_LOCK ".gomp_critical_user_"

/* Reads the module's symbol tables, those of its debug file and .gnu_debugdata too. NULL when there is no
 * memory. */
struct omptape_symbol_table *omptape_symbol_table_create(Dwfl_Module *module);
void omptape_symbol_table_free(struct omptape_symbol_table *table);

struct omptape_symbol {
    uint64_t low, high;
    const char *name; /* owned by the module */
};

/* The innermost symbol whose extent holds the address; false if there is none. */
bool omptape_symbol_table_find(const struct omptape_symbol_table *table, uint64_t address,
                               struct omptape_symbol *symbol);

/* Start of the symbol of this name that other modules can reach; false if there is none. */
bool omptape_symbol_table_find_export(struct omptape_symbol_table *table, const char *name,
                                      uint64_t *address);
