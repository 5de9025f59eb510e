/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Growing lists of owned strings, and formatted texts, for the command's only thread. If memory is exhausted,
 * the command prints a line and exits with 1. It must therefore not call these functions while the traced
 * program depends on it.
 */
#pragma once

#include <stdint.h>

struct omptape_string_list {
    char **items; /* array and strings are owned by the list */
    uint32_t count;
    uint32_t capacity;
};

/* Appends a copy of `text`. Never fails. */
void omptape_string_list_add(struct omptape_string_list *strings, const char *text);
/* Appends the pieces of `text` between separators, including empty ones; nothing if `text` is NULL. */
void omptape_string_list_split(struct omptape_string_list *strings, const char *text, char separator);
void omptape_string_list_free(struct omptape_string_list *strings);

/* Returns a formatted text, which the caller frees. Never NULL. */
char *omptape_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
