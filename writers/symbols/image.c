/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores the modules of the traced process, and opens each at its first use.
 */
#include "writers/symbols/image.h"

#include "src/core/array.h"
#include "writers/symbols/lines.h"

#include <stdlib.h>
#include <sys/stat.h>

struct omptape_image_module {
    const char *path;
    uint64_t inode;
    struct omptape_module *module; /* NULL: the file was replaced. */
};

void omptape_image_free(struct omptape_image *image)
{
    for (size_t i = 0; i < image->count; i++)
        omptape_module_close(image->list[i].module);
    free(image->list);
    omptape_maps_free(&image->maps);
    omptape_rows_free(&image->strings);
    *image = (struct omptape_image){0};
}

/* Returns true if another file has got the path since the program began, for example by a compiler. Its inode
 * alone does not tell, because some kernels show another one for files of an overlay. The kernel takes a
 * file's time from its last clock tick. */
static bool is_replaced(const struct omptape_image *image, const struct omptape_mapping *mapping)
{
    const uint64_t two_ticks_ns = 20000000;
    struct stat status;
    return mapping->inode != 0 && image->start_ns != 0 && stat(mapping->path, &status) == 0 &&
           status.st_ino != mapping->inode &&
           (uint64_t)status.st_ctim.tv_sec * 1000000000 + (uint64_t)status.st_ctim.tv_nsec + two_ticks_ns >
               image->start_ns;
}

/* Returns the module, or NULL if the file no longer exists, was replaced, or memory is exhausted. */
static struct omptape_module *get_module(struct omptape_image *image, const struct omptape_mapping *mapping)
{
    for (size_t i = 0; i < image->count; i++)
        if (omptape_mapping_is_of(mapping, image->list[i].path, image->list[i].inode))
            return image->list[i].module;
    const bool replaced = mapping->gone || (mapping->file && is_replaced(image, mapping));
    if (replaced && image->replaced == NULL)
        image->replaced = mapping->path;
    if (!mapping->file || !OMPTAPE_RESERVE(image->list, image->count + 1, &image->capacity))
        return NULL;
    struct omptape_module *module = replaced ? NULL : omptape_module_open(mapping->path);
    if (module != NULL || replaced)
        image->list[image->count++] = (struct omptape_image_module){mapping->path, mapping->inode, module};
    return module;
}

bool omptape_image_find(struct omptape_image *image, uint64_t address, struct omptape_image_address *place)
{
    const struct omptape_mapping *mapping = omptape_maps_find_code(&image->maps, address, image->code_id);
    if (mapping == NULL || mapping->path == NULL)
        return false;
    uint64_t offset = address - mapping->start + mapping->offset;
    uint64_t linked;
    *place = (struct omptape_image_address){.path = mapping->path, .address = offset};
    struct omptape_module *module = get_module(image, mapping);
    if (module != NULL && omptape_module_link_address(module, offset, &linked)) {
        place->module = module;
        place->address = linked;
    }
    return true;
}

bool omptape_image_find_export(struct omptape_image *image, const struct omptape_image_address *first,
                               const char *name, struct omptape_image_address *place)
{
    *place = *first;
    if (omptape_module_export(first->module, name, &place->address))
        return true;
    for (size_t i = 0; i < image->maps.count; i++) {
        const struct omptape_mapping *mapping = &image->maps.list[i];
        if (mapping->path == NULL || mapping->gone || mapping->runtime || mapping->path == first->path)
            continue;
        place->path = mapping->path;
        place->module = get_module(image, mapping);
        if (place->module != NULL && omptape_module_export(place->module, name, &place->address))
            return true;
    }
    return false;
}

bool omptape_image_find_line(struct omptape_image *image, const struct omptape_image_address *place,
                             const char **file, unsigned *line)
{
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(place->module, place->address, &address);
    return unit != NULL && omptape_lines_find(&unit->lines, address, &image->strings, file, line);
}
