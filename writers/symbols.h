/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source positions of call sites, by libdw: from a return address in the traced program to file, line and
 * function. Used in the writer process only, by its one translating thread. Modules are remembered from the
 * text of /proc/PID/maps, so that addresses can be resolved after the program, or a dlclosed library, is
 * gone.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_H
#define OMPTAPE_WRITERS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_symbols;

/* What is known of one call site, looked up at the return address - 1. Strings belong to the symbols object
 * and live as long as it does. NULL or 0: not known. */
struct omptape_source {
    const char
        *file; /* full path as the debug info gives it (relative names joined to the compilation folder) */
    const char
        *function; /* enclosing function: demangled, without compiler suffixes, the innermost inlined one */
    const char *symbol; /* only where `line` is 0: the symbol that holds the address, demangled, with the
                           compiler's suffixes ("main.omp_outlined"), from whose start... */
    uint64_t function_offset; /* ...the looked-up address has this distance */
    const char *module;       /* path of the executable or library, or "[vdso]" */
    uint64_t module_offset;   /* of the looked-up address, in the module as linked (what addr2line takes); in
                                 its file if   the file cannot be read */
    unsigned line;
};

/* 0, or -ENOMEM. Removes DEBUGINFOD_URLS from the environment: nothing here may wait for a network. */
int omptape_symbols_create(struct omptape_symbols **symbols);
void omptape_symbols_destroy(struct omptape_symbols *symbols);

/* Remembers the executable mappings of a /proc/PID/maps text. May be called again with a newer text: what
 * came before is kept, new mappings are added, a new mapping at an old address replaces it for later
 * look-ups. 0 or negative errno. */
int omptape_symbols_add_maps(struct omptape_symbols *symbols, const char *maps, size_t bytes);

/* True if the call before this return address lies in a remembered mapping. Cheap: called for each new call
 * site. */
bool omptape_symbols_covers(const struct omptape_symbols *symbols, uint64_t return_address);

/* Resolves a return address. Fills *source, whatever is known; returns 0, or -ENOENT when not even the module
 * is known. Slow on the first address of a module. Never fails on damaged or missing debug info: less is
 * known then. */
int omptape_symbols_resolve(struct omptape_symbols *symbols, uint64_t return_address,
                            struct omptape_source *source);

#endif
