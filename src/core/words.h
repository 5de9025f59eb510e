/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What messages are made of: characters, paths as they are shown, and what a misspelt word was to be. For all
 * parts, any thread; allocates nothing.
 */
#ifndef OMPTAPE_CORE_WORDS_H
#define OMPTAPE_CORE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last part of a path. */
const char *omptape_base_name(const char *path);
/* Does the file come with the system or the compiler? */
bool omptape_is_system_path(const char *path);

/* The character of UTF-8 that the text (not empty) begins with: how many bytes it has; 0: it is none. */
size_t omptape_utf8_next(const char *text, uint32_t *code);
/* For every text that leaves omptape. Returns the next character of *text (not empty), which is moved behind
 * it, and how many bytes the character has. U+FFFD replaces a byte that is no UTF-8, also of a surrogate, of
 * more bytes than needed, or beyond U+10FFFF. It also replaces U+FFFE and U+FFFF, which XML does not allow.
 * */
const char *omptape_utf8_replace(const char **text, size_t *bytes);
/* As omptape_utf8_next; 0 also for one that cannot be seen or that a terminal would obey. */
size_t omptape_utf8_visible(const char *text, uint32_t *code);

/* The path as a word that can be copied into a shell, on one line. It is quoted only if it has to be, and
 * what cannot be seen as an escape ($'a\nb'). What does not fit is left out. Returns `text`. */
const char *omptape_path_quote(const char *path, char *text, size_t bytes);

/* Adds the numbers from `first` to `end` - 1 to a list such as "3, 7-9". What does not fit is left out. */
void omptape_range_append(char *text, size_t bytes, uint64_t first, uint64_t end);

/* The nearest of the names that are tried, if one is near enough to the word. */
struct omptape_nearest {
    const char *word; /* the caller's */
    size_t length;
    const char *name;  /* the nearest so far, or NULL */
    unsigned distance; /* from `name`; before there is one, the first that is too far */
};

/* The first `length` bytes of `word` are looked for. */
struct omptape_nearest omptape_nearest_start(const char *word, size_t length);

/* Is it this one? Letters left out, too many, wrong or swapped count, capitals do not. The first of several
 * that are equally near is kept, and so is the pointer. */
void omptape_nearest_try(struct omptape_nearest *nearest, const char *name);

/* ": did you mean <before><name>?", or "" if no name was near. Returns `text`. */
const char *omptape_nearest_hint(const struct omptape_nearest *nearest, const char *before, char *text,
                                 size_t bytes);

enum { OMPTAPE_HINT_BYTES = 96 };

#endif
