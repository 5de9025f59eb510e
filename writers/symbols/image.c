/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the modules of the traced process, and opens each at its first use. Called by symbols.c and the
 * functions that search tail calls.
 */
#include "writers/symbols/image.h"

#include "src/core/array.h"
#include "writers/symbols/lines.h"

#include <stdlib.h>

struct omptape_loaded_module {
    const char *path;
    struct omptape_module *module;
};

void omptape_loaded_free(struct omptape_loaded *loaded)
{
    for (size_t i = 0; i < loaded->count; i++)
        omptape_module_close(loaded->list[i].module);
    free(loaded->list);
    omptape_maps_free(&loaded->maps);
    omptape_rows_free(&loaded->strings);
    *loaded = (struct omptape_loaded){0};
}

/* Returns the module, or NULL if the file no longer exists or memory is exhausted. */
static struct omptape_module *get_module(struct omptape_loaded *loaded, const struct omptape_mapping *mapping)
{
    for (size_t i = 0; i < loaded->count; i++)
        if (loaded->list[i].path == mapping->path)
            return loaded->list[i].module;
    if (!mapping->file)
        return NULL;
    if (!OMPTAPE_RESERVE(loaded->list, loaded->count + 1, &loaded->capacity))
        return NULL;
    struct omptape_module *module = omptape_module_open(mapping->path);
    if (module != NULL)
        loaded->list[loaded->count++] = (struct omptape_loaded_module){mapping->path, module};
    return module;
}

bool omptape_loaded_find(struct omptape_loaded *loaded, uint64_t address, struct omptape_loaded_place *place)
{
    const struct omptape_mapping *mapping = omptape_maps_find_code(&loaded->maps, address, loaded->code);
    if (mapping == NULL || mapping->path == NULL)
        return false;
    uint64_t offset = address - mapping->start + mapping->offset;
    uint64_t linked;
    *place = (struct omptape_loaded_place){.path = mapping->path, .address = offset};
    struct omptape_module *module = get_module(loaded, mapping);
    if (module != NULL && omptape_module_link_address(module, offset, &linked)) {
        place->module = module;
        place->address = linked;
    }
    return true;
}

bool omptape_loaded_export(struct omptape_loaded *loaded, const struct omptape_loaded_place *first,
                           const char *name, struct omptape_loaded_place *place)
{
    *place = *first;
    if (omptape_module_export(first->module, name, &place->address))
        return true;
    for (size_t i = 0; i < loaded->maps.count; i++) {
        const struct omptape_mapping *mapping = &loaded->maps.list[i];
        if (mapping->path == NULL || mapping->runtime || mapping->path == first->path)
            continue;
        place->path = mapping->path;
        place->module = get_module(loaded, mapping);
        if (place->module != NULL && omptape_module_export(place->module, name, &place->address))
            return true;
    }
    return false;
}

bool omptape_loaded_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *place,
                         const char **file, unsigned *line)
{
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(place->module, place->address, &address);
    return unit != NULL && omptape_lines_find(&unit->lines, address, &loaded->strings, file, line);
}
