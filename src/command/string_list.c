/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of strings. Used by all parts of the command on its one thread.
 */
#include "src/command/string_list.h"

#include "src/core/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (memory == NULL) {
        omptape_message("out of memory");
        exit(1);
    }
    return memory;
}

static void add_owned(struct omptape_strings *strings, char *text)
{
    if (strings->count == strings->room) {
        strings->room = strings->room ? 2 * strings->room : 16;
        strings->items = must(realloc(strings->items, strings->room * sizeof(*strings->items)));
    }
    strings->items[strings->count++] = must(text);
}

void omptape_strings_add(struct omptape_strings *strings, const char *text)
{
    add_owned(strings, strdup(text));
}

bool omptape_strings_has(const struct omptape_strings *strings, const char *text)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->items[i], text) == 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void omptape_strings_sort(struct omptape_strings *strings)
{
    if (strings->count > 1)
        qsort(strings->items, strings->count, sizeof(*strings->items), compare);
}

bool omptape_strings_find(const struct omptape_strings *sorted, const char *text)
{
    return sorted->count > 0 &&
           bsearch(&text, sorted->items, sorted->count, sizeof(*sorted->items), compare) != NULL;
}

void omptape_strings_split(struct omptape_strings *strings, const char *text, char separator)
{
    while (text != NULL) {
        const char *end = strchrnul(text, separator);
        add_owned(strings, strndup(text, (size_t)(end - text)));
        text = *end ? end + 1 : NULL;
    }
}

void omptape_strings_free(struct omptape_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (struct omptape_strings){0};
}

char *omptape_text(const char *format, ...)
{
    char *text;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return must(length < 0 ? NULL : text);
}
