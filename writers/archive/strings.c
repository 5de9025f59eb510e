/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's string table. Called wherever a string gets into the archive.
 */
#include "writers/archive/strings.h"

#include "src/core/array.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static bool add_string(struct omptape_archive_strings *strings, const char *text)
{
    char **list = omptape_array_reserve(strings->list, strings->count + 1, &strings->capacity, sizeof(*list));
    if (list == NULL)
        return false;
    strings->list = list;
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    if (strings->sink != NULL)
        OTF2_GlobalDefWriter_WriteString(strings->sink, strings->count, copy);
    list[strings->count++] = copy;
    return true;
}

OTF2_StringRef omptape_archive_string(struct omptape_archive_strings *strings, const char *text)
{
    if (strings->count == 0 && !add_string(strings, ""))
        return 0;
    if (text == NULL || text[0] == '\0')
        return 0;
    /* Texts with the same hash take the next keys. */
    for (uint64_t key = hash_text(text);; key++) {
        key += key == 0;
        uint32_t known = (uint32_t)(uintptr_t)omptape_idmap_get(&strings->index, key);
        if (known != 0 && strcmp(strings->list[known], text) == 0)
            return known;
        if (known != 0)
            continue;
        if (!add_string(strings, text))
            return 0;
        uint32_t ref = strings->count - 1;
        omptape_idmap_put(&strings->index, key, (void *)(uintptr_t)ref);
        return ref;
    }
}

OTF2_StringRef omptape_archive_format(struct omptape_archive_strings *strings, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return omptape_archive_string(strings, text);
}

void omptape_archive_strings_write(struct omptape_archive_strings *strings, OTF2_GlobalDefWriter *sink)
{
    for (uint32_t i = 0; i < strings->count && sink != NULL; i++)
        OTF2_GlobalDefWriter_WriteString(sink, i, strings->list[i]);
    strings->sink = sink;
}

void omptape_archive_strings_free(struct omptape_archive_strings *strings)
{
    for (uint32_t i = 0; i < strings->count; i++)
        free(strings->list[i]);
    free(strings->list);
    omptape_idmap_free(&strings->index);
}
