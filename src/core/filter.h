/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of --filter: which constructs are shown in the archive. The command and the library check the
 * text, the writer applies it.
 *
 * RULES are separated by commas: [-|+]PATTERN or [-|+]KEY=PATTERN, KEY being construct (the default), file or
 * function; `-` leaves out, `+` or nothing keeps; of the rules that match the last one decides. If the first
 * rule keeps, nothing is shown but what a rule keeps, and parallel and teams regions, which hold the rest.
 * @FILE stands for the rules in a file, one a line, empty lines and those that begin with `#` left aside.
 * Patterns are those of fnmatch(3), in which `*` matches slashes too; a comma in one is written `\,` in a
 * list, not in a file.
 */
#ifndef OMPTAPE_CORE_FILTER_H
#define OMPTAPE_CORE_FILTER_H

#include "src/core/constructs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum omptape_filter_key {
    OMPTAPE_FILTER_CONSTRUCT,
    OMPTAPE_FILTER_FILE,     /* against the path and its last part */
    OMPTAPE_FILTER_FUNCTION, /* against the demangled name, with and without its parameters */
    OMPTAPE_FILTER_INCLUDE,  /* @FILE: the pattern is the path */
};

enum { OMPTAPE_FILTER_PATTERN_BYTES = 1024 };

struct omptape_filter_rule {
    bool keep;
    enum omptape_filter_key key;
    bool matched; /* omptape_filter_decide has met something that it matches */
    char pattern[OMPTAPE_FILTER_PATTERN_BYTES];
};

/* Takes the next rule off *list (a text of rules separated by commas). 1; 0 at the text's end; -EINVAL with a
 * phrase in `error`. Allocates nothing. */
int omptape_filter_next(const char **list, struct omptape_filter_rule *rule, char *error, size_t error_bytes);

/* Reads one line of a file of rules. 1; 0 if there is no rule on it; -EINVAL with a phrase in `error`. */
int omptape_filter_line(const char *line, struct omptape_filter_rule *rule, char *error, size_t error_bytes);

/* Checks a whole text, but reads no @FILE. 0, or -EINVAL with a phrase in `error`. Allocates nothing. */
int omptape_filter_check(const char *text, char *error, size_t error_bytes);

/* The rules of a text and of its files (filter_rules.c; the command and the writer). */
struct omptape_filter {
    struct omptape_filter_rule *rules;
    uint32_t count;
    uint32_t capacity;
};

/* 0; -EINVAL, -ENOMEM or the reason why a file cannot be read, with a phrase in `error`, and no rules. To be
 * freed by omptape_filter_free in any case. */
int omptape_filter_load(struct omptape_filter *filter, const char *text, char *error, size_t error_bytes);
void omptape_filter_free(struct omptape_filter *filter);

/* Does a rule look at files or functions? */
bool omptape_filter_needs_places(const struct omptape_filter *filter);

enum omptape_filter_verdict {
    OMPTAPE_FILTER_KEEPS,
    OMPTAPE_FILTER_LEAVES_OUT,
    OMPTAPE_FILTER_FOLLOWS, /* rules on its place decide, which is not known: as what is around it */
};

/* The rule as it may have been written: "-file=*.h". */
void omptape_filter_write(const struct omptape_filter_rule *rule, char *text, size_t bytes);

/* `placed`: file and function are as well known as they ever will be, NULL meaning that there are none. */
enum omptape_filter_verdict omptape_filter_decide(struct omptape_filter *filter,
                                                  enum omptape_region_kind construct, bool placed,
                                                  const char *file, const char *function);

/* The text with the paths of its files made absolute. NULL: out of memory, or a file is not there. To be
 * freed. */
char *omptape_filter_absolute(const char *text);

#endif
