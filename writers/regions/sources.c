/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serialises source positions from a child to the writer: numbers and lengths of the texts, then the texts.
 */
#include "writers/regions/sources.h"

#include "src/core/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TEXTS = 4, MAX_TEXT = 65536 };

struct source_piece {
    uint32_t line;
    uint8_t is_approximate;
    uint8_t packed;
    uint8_t reduction;
    uint8_t more;
    uint8_t is_provisional;
    uint8_t is_call;
    uint8_t is_unoptimised;
    uint8_t unused;
    uint32_t lengths[TEXTS]; /* Length with the terminating NUL; 0: the text is NULL. */
    uint64_t function_offset;
    uint64_t module_offset;
};

const struct omptape_source *omptape_sources_get(const struct omptape_sources *sources, uint32_t region)
{
    return region < sources->known ? &sources->list[region] : NULL;
}

bool omptape_sources_export(int fd, const struct omptape_source *source)
{
    const char *const texts[TEXTS] = {source->file, source->function, source->symbol, source->module};
    struct source_piece piece = {.line = source->line,
                                 .is_approximate = source->is_approximate,
                                 .packed = source->packed,
                                 .reduction = source->reduction,
                                 .more = source->more,
                                 .is_provisional = source->is_provisional,
                                 .is_call = source->is_call,
                                 .is_unoptimised = source->is_unoptimised,
                                 .function_offset = source->function_offset,
                                 .module_offset = source->module_offset};
    struct iovec parts[1 + TEXTS] = {{.iov_base = &piece, .iov_len = sizeof(piece)}};
    size_t all = sizeof(piece);
    for (int i = 0; i < TEXTS; i++) {
        size_t length = texts[i] != NULL ? strlen(texts[i]) + 1 : 0;
        if (length > MAX_TEXT)
            return false;
        piece.lengths[i] = (uint32_t)length;
        parts[1 + i] = (struct iovec){.iov_base = (char *)(uintptr_t)texts[i], .iov_len = length};
        all += length;
    }
    return writev(fd, parts, 1 + TEXTS) == (ssize_t)all;
}

static bool read_text(FILE *file, uint32_t length, const char **text)
{
    *text = NULL;
    if (length == 0)
        return true;
    char *copy = length <= MAX_TEXT ? malloc(length) : NULL;
    if (copy == NULL || fread(copy, 1, length, file) != length || copy[length - 1] != '\0') {
        free(copy);
        return false;
    }
    *text = copy;
    return true;
}

static void free_texts(const struct omptape_source *source)
{
    free((char *)(uintptr_t)source->file);
    free((char *)(uintptr_t)source->function);
    free((char *)(uintptr_t)source->symbol);
    free((char *)(uintptr_t)source->module);
}

static bool read_source(FILE *file, struct omptape_source *source)
{
    struct source_piece piece;
    *source = (struct omptape_source){.file = NULL};
    if (fread(&piece, sizeof(piece), 1, file) != 1)
        return false;
    source->line = piece.line;
    source->is_approximate = piece.is_approximate != 0;
    source->packed = piece.packed != 0;
    source->reduction = piece.reduction != 0;
    source->more = piece.more != 0;
    source->is_provisional = piece.is_provisional != 0;
    source->is_call = piece.is_call != 0;
    source->is_unoptimised = piece.is_unoptimised != 0;
    source->function_offset = piece.function_offset;
    source->module_offset = piece.module_offset;
    if (read_text(file, piece.lengths[0], &source->file) &&
        read_text(file, piece.lengths[1], &source->function) &&
        read_text(file, piece.lengths[2], &source->symbol) &&
        read_text(file, piece.lengths[3], &source->module))
        return true;
    free_texts(source);
    return false;
}

static bool add_source(struct omptape_sources *sources, const struct omptape_source *source)
{
    return OMPTAPE_APPEND(sources->list, sources->known, sources->capacity, *source);
}

/* Replaces the text by a copy; keeps NULL. Returns false if out of memory. */
static bool copy_text(const char **text)
{
    if (*text == NULL)
        return true;
    *text = strdup(*text);
    return *text != NULL;
}

bool omptape_sources_add(struct omptape_sources *sources, const struct omptape_source *source)
{
    struct omptape_source copy = *source;
    bool copied = copy_text(&copy.file);
    copied = copy_text(&copy.function) && copied;
    copied = copy_text(&copy.symbol) && copied;
    copied = copy_text(&copy.module) && copied;
    if (copied && add_source(sources, &copy))
        return true;
    free_texts(&copy);
    return false;
}

void omptape_sources_import(struct omptape_sources *sources, int fd)
{
    struct omptape_source source;
    int copy = dup(fd);
    FILE *file = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "r") : NULL;
    while (file != NULL && read_source(file, &source)) {
        if (!add_source(sources, &source)) {
            free_texts(&source);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
    else if (copy >= 0)
        close(copy);
}

void omptape_sources_truncate(struct omptape_sources *sources, uint32_t known)
{
    while (sources->known > known)
        free_texts(&sources->list[--sources->known]);
}

void omptape_sources_free(struct omptape_sources *sources)
{
    omptape_sources_truncate(sources, 0);
    free(sources->list);
    *sources = (struct omptape_sources){.list = NULL};
}
