/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's string table. Called by the writer's translating thread.
 */
#include "writers/definitions/definitions.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static bool add(struct omptape_definitions *definitions, const char *text)
{
    if (definitions->string_count == definitions->string_capacity) {
        uint32_t capacity = definitions->string_capacity != 0 ? definitions->string_capacity * 2 : 256;
        char **strings = realloc(definitions->strings, capacity * sizeof(*strings));
        if (strings == NULL)
            return false;
        definitions->strings = strings;
        definitions->string_capacity = capacity;
    }
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    if (definitions->sink != NULL)
        OTF2_GlobalDefWriter_WriteString(definitions->sink, definitions->string_count, copy);
    definitions->strings[definitions->string_count++] = copy;
    return true;
}

OTF2_StringRef omptape_definitions_string(struct omptape_definitions *definitions, const char *text)
{
    if (definitions->string_count == 0 && !add(definitions, ""))
        return 0;
    if (text == NULL || text[0] == '\0')
        return 0;
    /* Texts with the same hash take the next keys. */
    for (uint64_t key = hash(text);; key++) {
        key += key == 0;
        uint32_t known = (uint32_t)(uintptr_t)omptape_idmap_get(&definitions->string_index, key);
        if (known != 0 && strcmp(definitions->strings[known], text) == 0)
            return known;
        if (known != 0)
            continue;
        if (!add(definitions, text))
            return 0;
        uint32_t ref = definitions->string_count - 1;
        omptape_idmap_put(&definitions->string_index, key, (void *)(uintptr_t)ref);
        return ref;
    }
}

OTF2_StringRef omptape_definitions_format(struct omptape_definitions *definitions, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return omptape_definitions_string(definitions, text);
}

void omptape_definitions_free(struct omptape_definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->string_count; i++)
        free(definitions->strings[i]);
    free(definitions->strings);
    omptape_idmap_free(&definitions->string_index);
}
