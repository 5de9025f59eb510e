/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the traced process has loaded: its mappings, and the modules of those that were looked into.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_LOADED_H
#define OMPTAPE_WRITERS_SYMBOLS_LOADED_H

#include "src/core/store.h"
#include "writers/symbols/maps.h"
#include "writers/symbols/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_loaded_module;

/* All zero: nothing. */
struct omptape_loaded {
    struct omptape_rows strings;
    struct omptape_maps maps;
    uint32_t code; /* of several that were at one address, the one that is asked about */
    struct omptape_loaded_module *list;
    uint32_t count;
    uint32_t capacity;
};

/* A place in the program's code. */
struct omptape_loaded_place {
    const char *path;              /* of the module; owned by the strings */
    struct omptape_module *module; /* NULL: its file cannot be read */
    uint64_t address;              /* in the module as linked; without a module, in its file */
};

void omptape_loaded_free(struct omptape_loaded *loaded);

/* The place of an address of the process. False if no module lies there. */
bool omptape_loaded_find(struct omptape_loaded *loaded, uint64_t address, struct omptape_loaded_place *place);

/* Start of the function of this name that other modules can reach: `first`'s own, or that of another module,
 * but not of an OpenMP runtime. False if there is none. Opens all modules. */
bool omptape_loaded_export(struct omptape_loaded *loaded, const struct omptape_loaded_place *first,
                           const char *name, struct omptape_loaded_place *place);

/* File and line of the place, as omptape_lines_find gives them. */
bool omptape_loaded_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *place,
                         const char **file, unsigned *line);

#endif
