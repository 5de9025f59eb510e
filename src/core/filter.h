/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules of --filter, which select the constructs in the archive. The command and the library check the text;
 * the writer applies the rules.
 *
 * Rules are separated by commas: [-|+]PATTERN or [-|+]KEY=PATTERN. KEY is construct (the default), file or
 * function. `-` excludes, `+` or no sign includes; the last matching rule decides. If the first rule
 * includes, only matching constructs are shown, and the parallel and teams regions around them. @FILE
 * includes the rules of a file, one per line; empty lines and lines that begin with `#` are ignored. Patterns
 * are those of fnmatch(3), where `*` also matches slashes. A comma in a pattern is written `\,` in a list,
 * but not in a file.
 */
#pragma once

#include "src/core/constructs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum omptape_filter_key {
    OMPTAPE_FILTER_CONSTRUCT,
    OMPTAPE_FILTER_FILE,     /* matches the path or its last component */
    OMPTAPE_FILTER_FUNCTION, /* matches the demangled name, with or without parameters */
    OMPTAPE_FILTER_INCLUDE,  /* @FILE: the pattern is the path */
};

enum { OMPTAPE_FILTER_PATTERN_BYTES = 1024 };

struct omptape_filter_rule {
    bool keep;
    enum omptape_filter_key key;
    bool matched; /* set by omptape_filter_decide when the rule matches */
    char pattern[OMPTAPE_FILTER_PATTERN_BYTES];
};

/* Parses the next rule of *list and advances *list. Returns 1; 0 at the end of the text; -EINVAL with the
 * cause in `error`. Allocates nothing. */
int omptape_filter_next(const char **list, struct omptape_filter_rule *rule, char *error, size_t error_bytes);

/* Parses one line of a file of rules. Returns 1; 0 if the line has no rule; -EINVAL with an `error`. */
int omptape_filter_line(const char *line, struct omptape_filter_rule *rule, char *error, size_t error_bytes);

/* Checks a text without reading @FILEs. Returns 0, or -EINVAL with the cause in `error`. Allocates nothing.
 */
int omptape_filter_check(const char *text, char *error, size_t error_bytes);

/* The rules of a text and of its @FILEs (filter_rules.c; used by the command and the writer). */
struct omptape_filter {
    struct omptape_filter_rule *rules;
    uint32_t count;
    uint32_t capacity;
};

/* Parses a text and its @FILEs. Returns 0, or negative errno with the cause in `error` and no rules: -EINVAL,
 * -ENOMEM, or the error of reading a file. The caller calls omptape_filter_free in all cases. */
int omptape_filter_load(struct omptape_filter *filter, const char *text, char *error, size_t error_bytes);
void omptape_filter_free(struct omptape_filter *filter);

/* Returns true if a rule matches files or functions. */
bool omptape_filter_needs_places(const struct omptape_filter *filter);

enum omptape_filter_verdict {
    OMPTAPE_FILTER_KEEPS,
    OMPTAPE_FILTER_EXCLUDES,
    OMPTAPE_FILTER_INHERITS, /* file or function decide but are unknown: as the region around it */
};

/* Formats a rule: "-file=*.h". */
void omptape_filter_write(const struct omptape_filter_rule *rule, char *text, size_t bytes);

/* Applies the rules to a region. `placed`: file and function are final; NULL means that they do not exist. */
enum omptape_filter_verdict omptape_filter_decide(struct omptape_filter *filter,
                                                  enum omptape_region_kind construct, bool placed,
                                                  const char *file, const char *function);

/* Returns the text, to be freed, with absolute paths of its @FILEs; NULL if one is missing or no memory. */
char *omptape_filter_absolute(const char *text);
