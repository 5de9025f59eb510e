/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text utilities for messages: UTF-8, quoted paths, lists of numbers, and suggestions for misspelt words. Any
 * thread; allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the last component of a path. */
const char *omptape_base_name(const char *path);
/* Returns what comes after `beginning` in a text that begins with it, or NULL. */
static inline const char *omptape_text_after(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

static inline bool omptape_starts_with(const char *text, const char *beginning)
{
    return omptape_text_after(text, beginning) != NULL;
}

/* Returns true if the text, or its beginning, is one of the list, which ends with NULL. */
bool omptape_is_one_of(const char *text, const char *const *list);
bool omptape_starts_with_one_of(const char *text, const char *const *list);
/* Returns true if one of the lines of a text is `line`. */
bool omptape_has_line(const char *text, const char *line);
bool omptape_ends_with(const char *text, const char *ending);
/* Returns true for files of the system or the compiler. */
bool omptape_is_system_path(const char *path);

/* Decodes the first UTF-8 character of a non-empty text. Returns its length in bytes; 0 if it is invalid. */
size_t omptape_utf8_next(const char *text, uint32_t *code);
/* Returns the next character of *text (not empty) and its length in bytes, and advances *text. Used for all
 * text output. U+FFFD replaces invalid bytes, also of surrogates, overlong sequences and characters beyond
 * U+10FFFF. It also replaces U+FFFE and U+FFFF, which XML does not allow. */
const char *omptape_utf8_replace(const char **text, size_t *bytes);
/* As omptape_utf8_next, but also returns 0 for invisible characters and terminal control characters. */
size_t omptape_utf8_visible(const char *text, uint32_t *code);

/* Makes a text safe for a terminal, in place: control characters become spaces. Other bytes that are not part
 * of a visible UTF-8 character become question marks. */
void omptape_utf8_make_plain(char *text);

/* Formats a path as one shell word on one line. It is quoted only if necessary; invisible characters become
 * escapes ($'a\nb'). Truncates to what fits. Returns `text`. */
const char *omptape_path_quote(const char *path, char *text, size_t bytes);

/* Writes a number as "1,234,567". Returns `text`. */
enum { OMPTAPE_COUNT_BYTES = 28 };
const char *omptape_count(uint64_t count, char text[OMPTAPE_COUNT_BYTES]);

/* Appends to a text in `bytes` bytes. Truncates to what fits. */
void omptape_append(char *text, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for an item of a list, which `separator` separates from the item before it. */
void omptape_append_item(char *text, size_t bytes, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends the numbers from `first` to `end` - 1 to a list such as "3, 7-9". Truncates to what fits. */
void omptape_range_append(char *text, size_t bytes, uint64_t first, uint64_t end);

/* Search for the name that is most similar to a word. */
struct omptape_nearest {
    const char *word; /* owned by the caller */
    size_t length;
    const char *name;  /* the most similar name so far, or NULL */
    unsigned distance; /* edit distance of `name`; without a name, the smallest distance that is too large */
};

/* Starts a search for the first `length` bytes of `word`. */
struct omptape_nearest omptape_nearest_start(const char *word, size_t length);

/* Compares the word with `name` by missing, additional, wrong and swapped letters, ignoring case. Keeps the
 * pointer of the most similar name, and of equally similar names the first. */
void omptape_nearest_try(struct omptape_nearest *nearest, const char *name);

/* A text for one message. `text` of a returned one is valid until the end of the full expression. */
struct omptape_hint {
    char text[96];
};
struct omptape_quoted {
    char text[400];
};

/* Returns ": did you mean <before><name>?", or "" if no name is similar enough. */
struct omptape_hint omptape_nearest_hint(const struct omptape_nearest *nearest, const char *before);

/* Returns the path as omptape_path_quote formats it. */
struct omptape_quoted omptape_quoted(const char *path);
