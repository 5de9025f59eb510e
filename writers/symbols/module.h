/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An executable or library of the traced program: its file, symbol table and debug information.
 */
#pragma once

#include "writers/symbols/code.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/table.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Record that clang passes to LLVM's runtime with each construct (ident_t of kmp.h). Its text has the
 * construct's position, ";file;function;line;column;;". Without -g the text has no position. x86-64 only. */
struct omptape_ident {
    const char *file; /* As passed to the compiler, not terminated; lives as long as the ELF. */
    size_t file_length;
    const char *function; /* Not terminated; without the surrounding scopes. */
    size_t function_length;
    unsigned line;
};

struct omptape_module;

/* Search path of debug files in libdwfl's syntax: beside the module, in .debug there, below
 * /usr/lib/debug. No server is ever contacted (see omptape_symbols_create). A test may change it before it
 * opens the first module. */
extern char *omptape_module_debug_path;

/* Opens an executable or library. Returns the descriptor, or -1: others may block or be endless. */
int omptape_module_open_file(const char *path);

/* Opens the file. A module without a readable file is created, too, but has no information. Does not copy
 * `path`. Returns NULL if out of memory. */
struct omptape_module *omptape_module_open(const char *path);
void omptape_module_close(struct omptape_module *module);

/* Converts an offset in the file to the linked address. Returns false if the headers do not allow it. */
bool omptape_module_link_address(const struct omptape_module *module, uint64_t file_offset,
                                 uint64_t *address);

/* Finds the symbol that contains the linked address. Returns false if there is none. */
bool omptape_module_symbol(struct omptape_module *module, uint64_t address, struct omptape_symbol *symbol);

/* Sets *start to the linked address at which the function around the address begins, in a file without
 * symbols (frame_index.h). Returns false if it is unknown. */
bool omptape_module_function_start(const struct omptape_module *module, uint64_t address, uint64_t *start);

/* Finds the base of the stack frame at the linked address: DWARF's number of a register, plus an offset.
 * Returns false if the call frame information has none of this form. */
bool omptape_module_frame(struct omptape_module *module, uint64_t address, unsigned *base, int64_t *offset);

/* Finds the start of the exported symbol of this name. Returns false if there is none. */
bool omptape_module_export(struct omptape_module *module, const char *name, uint64_t *address);

/* Returns the module's machine code, or NULL if it cannot be read. */
const struct omptape_code *omptape_module_code(struct omptape_module *module);

/* Reads the ident_t at the linked address. Returns false if there is none. */
bool omptape_module_ident(const struct omptape_module *module, uint64_t address, struct omptape_ident *ident);

/* Returns the unit of the debug information that contains the linked address, and sets the address as the
 * unit counts it. Returns NULL if there is none. */
struct omptape_unit *omptape_module_unit(struct omptape_module *module, uint64_t address,
                                         Dwarf_Addr *unit_address);

/* Returns true if a unit was requested earlier: the debug information has been read. */
bool omptape_module_has_read_units(const struct omptape_module *module);

/* Returns true if its debug information is compressed but not read: libelf does not support the form (zstd
 * before elfutils 0.189). Valid after a unit was requested. */
bool omptape_module_is_packed(const struct omptape_module *module);
