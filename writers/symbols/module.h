/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One executable or library of the traced program: its file, symbol table and debug info.
 */
#pragma once

#include "writers/symbols/code.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/table.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What clang hands to LLVM's runtime with each construct: a record (ident_t of kmp.h) whose text says
 * where the construct stands, ";file;function;line;column;;". Its text is empty of that without -g. x86-64
 * only. */
struct omptape_ident {
    const char *file; /* as the compiler was told, not terminated; lives as long as the ELF */
    size_t file_length;
    const char *function; /* likewise, without what is around it */
    size_t function_length;
    unsigned line;
};

struct omptape_module;

/* Where debug files are looked for, in libdwfl's words: beside the module, in .debug there, below
 * /usr/lib/debug; no server is ever asked (see omptape_symbols_create). A test may put another path here
 * before it opens the first module. */
extern char *omptape_module_debug_path;

/* A descriptor of the file if it is an executable or library, else -1: whatever else the program mapped may
 * block or be endless. */
int omptape_module_open_file(const char *path);

/* Opens the file. A module without a readable file is one too: it then knows nothing. `path` is not copied.
 * NULL when there is no memory. */
struct omptape_module *omptape_module_open(const char *path);
void omptape_module_close(struct omptape_module *module);

/* The address, in the module as linked, of a place in its file. False when the file's headers do not tell. */
bool omptape_module_link_address(const struct omptape_module *module, uint64_t file_offset,
                                 uint64_t *address);

/* The symbol that holds the linked address; false if there is none. */
bool omptape_module_symbol(struct omptape_module *module, uint64_t address, struct omptape_symbol *symbol);

/* Start of the symbol of this name that other modules can reach; false if there is none. */
bool omptape_module_export(struct omptape_module *module, const char *name, uint64_t *address);

/* The module's machine code; NULL when it has none that can be read. */
const struct omptape_code *omptape_module_code(struct omptape_module *module);

/* What the record at the linked address tells. */
bool omptape_module_ident(const struct omptape_module *module, uint64_t address, struct omptape_ident *ident);

/* The unit of the debug info that holds the linked address, and the address as that unit counts; NULL if
 * there is none. */
struct omptape_unit *omptape_module_unit(struct omptape_module *module, uint64_t address,
                                         Dwarf_Addr *unit_address);

/* Was a unit asked for? Then the debug info has been read. */
bool omptape_module_has_read_units(const struct omptape_module *module);

/* Does it have debug info that stayed packed, because libelf does not know the way (zstd before elfutils
 * 0.189)? Once a unit was asked for. */
bool omptape_module_is_packed(const struct omptape_module *module);
