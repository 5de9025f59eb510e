/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements string_list.h.
 */
#include "src/core/string_list.h"

#include "src/core/array.h"
#include "src/core/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must_have(void *memory)
{
    if (memory == NULL) {
        omptape_message("out of memory");
        exit(1);
    }
    return memory;
}

static void add_owned(struct omptape_string_list *strings, char *text)
{
    strings->items = must_have(omptape_array_reserve(strings->items, strings->count + 1, &strings->capacity,
                                                     sizeof(*strings->items)));
    strings->items[strings->count++] = must_have(text);
}

void omptape_string_list_add(struct omptape_string_list *strings, const char *text)
{
    add_owned(strings, strdup(text));
}

void omptape_string_list_split(struct omptape_string_list *strings, const char *text, char separator)
{
    while (text != NULL) {
        const char *end = strchrnul(text, separator);
        add_owned(strings, strndup(text, (size_t)(end - text)));
        text = *end ? end + 1 : NULL;
    }
}

void omptape_string_list_free(struct omptape_string_list *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (struct omptape_string_list){0};
}

char *omptape_text(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return must_have(length < 0 ? NULL : text);
}
