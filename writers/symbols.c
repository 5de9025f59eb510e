/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The symbol resolver: from a return address through the mappings to a module, and through its debug info or
 * symbol table to what the user wrote. Called by the translation of call sites, on the writer's translating
 * thread.
 */
#include "writers/symbols.h"

#include "writers/symbols_functions.h"
#include "writers/symbols_lines.h"
#include "writers/symbols_maps.h"
#include "writers/symbols_module.h"
#include "writers/symbols_names.h"
#include "writers/symbols_runtime.h"
#include "writers/symbols_strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct loaded {
    const char *path;
    struct omptape_module *module;
};

struct omptape_symbols {
    struct omptape_strings strings;
    struct omptape_maps maps;
    struct loaded *loaded;
    size_t count, capacity;
};

int omptape_symbols_create(struct omptape_symbols **symbols)
{
    (void)unsetenv("DEBUGINFOD_URLS");
    *symbols = calloc(1, sizeof **symbols);
    return *symbols ? 0 : -ENOMEM;
}

void omptape_symbols_destroy(struct omptape_symbols *symbols)
{
    if (!symbols)
        return;
    for (size_t i = 0; i < symbols->count; i++)
        omptape_module_close(symbols->loaded[i].module);
    free(symbols->loaded);
    omptape_maps_free(&symbols->maps);
    omptape_strings_free(&symbols->strings);
    free(symbols);
}

int omptape_symbols_add_maps(struct omptape_symbols *symbols, const char *maps, size_t bytes)
{
    int error = omptape_maps_add(&symbols->maps, &symbols->strings, maps, bytes);
    omptape_runtime_examine(&symbols->maps);
    return error;
}

bool omptape_symbols_covers(const struct omptape_symbols *symbols, uint64_t return_address)
{
    return return_address != 0 && omptape_maps_find(&symbols->maps, return_address - 1);
}

/* The module of the mapping, opened at its first use. NULL: there is no such file any more, or no memory. */
static struct omptape_module *find_module(struct omptape_symbols *symbols,
                                          const struct omptape_mapping *mapping)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->loaded[i].path == mapping->path)
            return symbols->loaded[i].module;
    if (!mapping->file)
        return NULL;
    if (symbols->count == symbols->capacity) {
        size_t capacity = symbols->capacity * 2 + 16;
        struct loaded *list = realloc(symbols->loaded, capacity * sizeof *list);
        if (!list)
            return NULL;
        symbols->loaded = list;
        symbols->capacity = capacity;
    }
    struct omptape_module *module = omptape_module_open(mapping->path);
    if (module)
        symbols->loaded[symbols->count++] = (struct loaded){mapping->path, module};
    return module;
}

/* Takes the text over: the set's copy of it. */
static const char *keep(struct omptape_symbols *symbols, char *text)
{
    const char *kept = text ? omptape_strings_add(&symbols->strings, text, strlen(text)) : NULL;
    free(text);
    return kept;
}

static const char *readable(struct omptape_symbols *symbols, const char *name, size_t length)
{
    return keep(symbols, omptape_name_readable(name, length));
}

/* The symbol with the suffixes that its stem lacks: "foo()" and ".omp_outlined". */
static const char *readable_with_suffix(struct omptape_symbols *symbols, const char *name, size_t stem)
{
    char *text = omptape_name_readable(name, stem);
    size_t length = text ? strlen(text) : 0, suffix = strlen(name + stem);
    char *grown = text ? realloc(text, length + suffix + 1) : NULL;
    if (!grown) {
        free(text);
        return NULL;
    }
    memcpy(grown + length, name + stem, suffix + 1);
    return keep(symbols, grown);
}

/* *plain: see omptape_functions_name. */
static void resolve_debug_info(struct omptape_symbols *symbols, struct omptape_module *module,
                               uint64_t address, struct omptape_source *source, bool *plain)
{
    Dwarf_Addr unit_address;
    struct omptape_unit *unit = omptape_module_unit(module, address, &unit_address);
    if (!unit)
        return;
    const char *file = NULL;
    unsigned line = 0;
    if (omptape_lines_find(&unit->lines, unit_address, &symbols->strings, &file, &line)) {
        source->file = file;
        source->line = line;
    }
    char *name =
        omptape_functions_name(unit, unit_address, &symbols->strings, source->file, source->line, plain);
    source->function = keep(symbols, name);
}

static void resolve_symbol(struct omptape_symbols *symbols, struct omptape_module *module, uint64_t address,
                           struct omptape_source *source, bool plain)
{
    uint64_t distance = 0;
    const char *name = omptape_module_symbol(module, address, &distance);
    if (!name || !name[0])
        return;
    size_t stem = omptape_name_stem(name);
    if (!source->function || (plain && strncmp(name, "_Z", 2) == 0))
        source->function = readable(symbols, name, stem ? stem : strlen(name));
    if (source->line == 0) {
        source->symbol = readable_with_suffix(symbols, name, stem);
        source->function_offset = distance;
    }
}

int omptape_symbols_resolve(struct omptape_symbols *symbols, uint64_t return_address,
                            struct omptape_source *source)
{
    *source = (struct omptape_source){0};
    uint64_t call = return_address - 1;
    const struct omptape_mapping *mapping =
        return_address != 0 ? omptape_maps_find(&symbols->maps, call) : NULL;
    if (!mapping || !mapping->path)
        return -ENOENT;
    source->module = mapping->path;
    source->module_offset = call - mapping->start + mapping->offset;
    struct omptape_module *module = find_module(symbols, mapping);
    uint64_t address;
    if (!module || !omptape_module_link_address(module, source->module_offset, &address))
        return 0;
    source->module_offset = address;
    bool plain = false;
    resolve_debug_info(symbols, module, address, source, &plain);
    if (!source->function || source->line == 0 || plain)
        resolve_symbol(symbols, module, address, source, plain);
    return 0;
}

int omptape_symbols_resolve_call(struct omptape_symbols *symbols, uint64_t return_address, uint64_t parent,
                                 const char *const *callees, struct omptape_source *source)
{
    (void)callees;
    if (parent != 0 && omptape_symbols_in_runtime(symbols, return_address))
        return_address = parent;
    return omptape_symbols_resolve(symbols, return_address, source);
}

bool omptape_symbols_in_runtime(const struct omptape_symbols *symbols, uint64_t address)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&symbols->maps, address);
    return mapping && mapping->runtime;
}
