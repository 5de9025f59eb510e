/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the program's maps if a call site lies in no known module.
 */
#include "writers/regions/modules.h"

#include "src/core/array.h"
#include "writers/regions/sites.h"
#include "writers/symbols/maps.h"
#include "writers/symbols/symbols.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the file and closes `fd`. Returns NULL if nothing could be read. */
static char *read_whole_file(int fd, size_t *bytes)
{
    enum { PIECE_BYTES = 65536 };
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *text = NULL;
    uint32_t capacity = 0;
    uint32_t used = 0;
    while (file != NULL && used == capacity && feof(file) == 0 && ferror(file) == 0) {
        char *bigger = omptape_array_reserve(text, used + PIECE_BYTES, &capacity, 1);
        if (bigger == NULL) {
            free(text);
            text = NULL;
            break;
        }
        text = bigger;
        used += (uint32_t)fread(text + used, 1, capacity - used, file);
    }
    if (file != NULL)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    *bytes = used;
    return text;
}

static int open_maps(const struct omptape_writer *writer)
{
    return openat(writer->process, "maps", O_RDONLY | O_CLOEXEC);
}

static void remember_maps(struct omptape_writer *writer, int fd)
{
    size_t bytes = 0;
    char *maps = read_whole_file(fd, &bytes);
    if (maps == NULL)
        return;
    omptape_symbols_add_maps(writer->symbols, maps, bytes);
    omptape_sites_clear_caches(writer->sites);
    free(maps);
}

void omptape_modules_take(struct omptape_writer *writer, int fd)
{
    remember_maps(writer, fd);
}

/* The program's maps when they were read last. */
struct omptape_module_maps {
    struct omptape_maps maps;
    struct omptape_rows strings;
    uint64_t time; /* Time of the trace. */
};

void omptape_modules_free(struct omptape_writer *writer)
{
    struct omptape_module_maps *seen = writer->module_maps;
    if (seen == NULL)
        return;
    omptape_maps_free(&seen->maps);
    omptape_rows_free(&seen->strings);
    free(seen);
    writer->module_maps = NULL;
}

/* Returns the program's maps, read at `time` or later: modules that were loaded together are found in one
 * text. Returns NULL if they cannot be read. */
static const struct omptape_maps *maps_since(struct omptape_writer *writer, uint64_t time)
{
    size_t bytes = 0;
    if (writer->module_maps != NULL && writer->module_maps->time >= time)
        return &writer->module_maps->maps;
    omptape_modules_free(writer);
    struct omptape_module_maps *seen = calloc(1, sizeof(*seen));
    if (seen == NULL)
        return NULL;
    writer->module_maps = seen;
    seen->time = omptape_timeline_now(&writer->timeline);
    char *text = read_whole_file(open_maps(writer), &bytes);
    if (text != NULL)
        (void)omptape_maps_add(&seen->maps, &seen->strings, text, bytes);
    free(text);
    return &seen->maps;
}

/* Sets the inode of the file that the program had mapped at the address at `time` or soon after. Sets whether
 * another file or none had its path then. Leaves both as they are if this path was mapped there no more. */
static void find_mapped(struct omptape_writer *writer, uint64_t time, uint64_t address, const char *path,
                        uint64_t *inode, bool *gone)
{
    const struct omptape_maps *maps = maps_since(writer, time);
    const struct omptape_mapping *mapping = maps != NULL ? omptape_maps_find(maps, address) : NULL;
    if (mapping != NULL && mapping->path != NULL && strcmp(mapping->path, path) == 0) {
        *inode = mapping->inode;
        *gone = mapping->gone;
    }
}

void omptape_modules_add(struct omptape_writer *writer, uint64_t time, uint64_t begin, uint64_t end,
                         uint64_t offset, const char *path, size_t path_length)
{
    char line[OMPTAPE_PATH_BYTES + 128];
    char named[OMPTAPE_PATH_BYTES];
    uint64_t inode = 0;
    bool gone = false;
    snprintf(named, sizeof(named), "%.*s", (int)path_length, path);
    /* Uses the path that the kernel's own map will contain. */
    char *real = realpath(named, NULL);
    const char *mapped = real != NULL ? real : named;
    if (mapped[0] != '\0')
        find_mapped(writer, time, begin, mapped, &inode, &gone);
    int n = snprintf(line, sizeof(line), "%llx-%llx r-xp %llx 00:00 %llu %s%s\n", (unsigned long long)begin,
                     (unsigned long long)end, (unsigned long long)offset, (unsigned long long)inode, mapped,
                     gone ? " (deleted)" : "");
    free(real);
    if (n > 0 && (size_t)n < sizeof(line))
        omptape_symbols_add_maps(writer->symbols, line, (size_t)n);
    omptape_sites_clear_caches(writer->sites);
}

void omptape_modules_refresh(struct omptape_writer *writer)
{
    remember_maps(writer, open_maps(writer));
}

void omptape_modules_cover(struct omptape_writer *writer, uint64_t address)
{
    if (!omptape_symbols_covers(writer->symbols, address))
        omptape_modules_refresh(writer);
}
