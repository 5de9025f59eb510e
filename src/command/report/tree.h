/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers and texts under names, as JSON or as CSV: who has something to say says it once, to a tree of
 * either form. Used by numbers.c and compare.c.
 *
 * JSON needs no library. Writing it takes a comma, an escape and a nesting. None of the libraries writes what
 * is no UTF-8 in a way that stays readable.
 *
 * CSV (RFC 4180) is flat. The root's lists become rows with the list's name in the first column, and the
 * root's own values a row "summary". Objects within a row become columns "outer.inner", and lists within a
 * row texts with blanks. All rows have all columns, so everything is told twice: to learn the columns, and to
 * write.
 */
#pragma once

#include "src/core/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { REPORT_TREE_DEPTH = 8 };

struct report_csv;

struct report_tree {
    FILE *out;
    const struct report_tree_form *form;
    unsigned depth;
    bool list[REPORT_TREE_DEPTH];   /* at this depth is a list, not an object */
    bool filled[REPORT_TREE_DEPTH]; /* JSON: ...with something in it */
    struct report_csv *csv;
    bool no_memory;
};

/* Says it all: from the root's members on. */
typedef void report_teller(struct report_tree *tree, const void *data);

/* 0, or a negative errno; whether the file took it all says the stream. */
int report_tree_write_json(FILE *out, report_teller *tell, const void *data);
int report_tree_write_csv(FILE *out, report_teller *tell, const void *data);

/* For tellers. `key` is a constant; NULL within a list. An object or a list lasts until its end. */
void report_tree_object(struct report_tree *tree, const char *key);
void report_tree_list(struct report_tree *tree, const char *key);
void report_tree_end(struct report_tree *tree);
/* Any bytes; what is no UTF-8 becomes U+FFFD. */
void report_tree_text(struct report_tree *tree, const char *key, const char *text);
void report_tree_count(struct report_tree *tree, const char *key, uint64_t count);
void report_tree_integer(struct report_tree *tree, const char *key, int64_t number);
/* Nine digits behind the point, so that seconds are exact to the ns; null if it is no number. */
void report_tree_number(struct report_tree *tree, const char *key, double number);
/* Nine digits, whatever its size; null if it is infinite or no number. */
void report_tree_real(struct report_tree *tree, const char *key, double number);
void report_tree_null(struct report_tree *tree, const char *key);

/* For the forms. */
struct report_tree_form {
    void (*begin)(struct report_tree *tree, const char *key, bool list);
    void (*end)(struct report_tree *tree);
    void (*value)(struct report_tree *tree, const char *key, const char *text, bool quoted);
};
