/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pointers through which a module reaches other modules' functions, and the functions' names.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_IMPORTS_H
#define OMPTAPE_WRITERS_SYMBOLS_IMPORTS_H

#include <libelf.h>
#include <stdint.h>

struct omptape_import {
    uint64_t slot; /* where the dynamic linker stores the function's address, as linked */
    const char *name;
};

/* Ascending by slot; all zero: none. */
struct omptape_imports {
    struct omptape_import *list;
    uint32_t count;
    uint32_t capacity;
};

/* Reads the module's relocations of the kinds that serve calls. The names belong to the ELF. What cannot be
 * read is left out. */
void omptape_imports_read(struct omptape_imports *imports, Elf *elf);
void omptape_imports_free(struct omptape_imports *imports);

/* Name of the function behind the slot, or NULL. */
const char *omptape_imports_find(const struct omptape_imports *imports, uint64_t slot);

#endif
