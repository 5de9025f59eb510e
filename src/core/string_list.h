/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A growing list of owned strings, and texts made by printf, for the command's one thread. Running out of
 * memory ends the command before the program has started (exit code 1 with a line). After that nothing here
 * is called for the program's sake.
 */
#ifndef OMPTAPE_CORE_STRING_LIST_H
#define OMPTAPE_CORE_STRING_LIST_H

#include <stdint.h>

struct omptape_string_list {
    char **items; /* owned, each too */
    uint32_t count;
    uint32_t capacity;
};

/* Adds a copy. Never fails. */
void omptape_string_list_add(struct omptape_string_list *strings, const char *text);
/* Adds the pieces of `text` between separators, empty ones too; NULL: nothing. */
void omptape_string_list_split(struct omptape_string_list *strings, const char *text, char separator);
void omptape_string_list_free(struct omptape_string_list *strings);

/* A text that the caller frees. Never NULL. */
char *omptape_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
