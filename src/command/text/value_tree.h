/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes numbers and texts with keys as JSON or CSV from one description. Used by the files numbers.c and by
 * the page.
 *
 * JSON is written without a library, because it needs only commas, escapes and nesting. None of the libraries
 * writes invalid UTF-8 in a readable way.
 *
 * CSV (RFC 4180) is flat. The root's lists become rows with the list's name in the first column; the root's
 * own values become a row "summary". Objects within a row become columns "outer.inner", and lists within a
 * row texts with blanks. All rows have all columns, so all is described twice: to collect the columns, and to
 * write.
 */
#pragma once

#include "src/core/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { VALUE_TREE_DEPTH = 8 };

struct value_tree_csv;

struct value_tree {
    FILE *out;
    const struct value_tree_form *form;
    unsigned depth;
    bool is_compact;               /* JSON without blanks and line feeds */
    bool list[VALUE_TREE_DEPTH];   /* true for a list at this depth, false for an object */
    bool filled[VALUE_TREE_DEPTH]; /* JSON: it has members */
    struct value_tree_csv *csv;
    bool no_memory;
};

/* Describes the whole tree: adds the root's members. */
typedef void value_tree_writer(struct value_tree *tree, const void *data);

/* Write the tree; the second function writes JSON without blanks and line feeds, for programs. Return 0 or
 * negative errno; the caller checks the stream for write errors. */
int value_tree_write_json(FILE *out, value_tree_writer *write, const void *data);
int value_tree_write_compact_json(FILE *out, value_tree_writer *write, const void *data);
int value_tree_write_csv(FILE *out, value_tree_writer *write, const void *data);

/* For value_tree_writer functions. `key`: a constant, NULL within a list. All is open until
 * value_tree_end. */
void value_tree_object(struct value_tree *tree, const char *key);
void value_tree_list(struct value_tree *tree, const char *key);
void value_tree_end(struct value_tree *tree);
/* For the condition of a loop without `break` over a list's items or rows, as in
 * for (uint32_t i = 0; value_tree_row(tree, "locks", i, count); i++). Begins the list before the first one
 * and ends it after the last one. Each row is an object. */
bool value_tree_item(struct value_tree *tree, const char *key, uint64_t item, uint64_t count);
bool value_tree_row(struct value_tree *tree, const char *key, uint64_t row, uint64_t count);
/* Adds a text of any bytes; invalid UTF-8 becomes U+FFFD, and NULL becomes null. */
void value_tree_text(struct value_tree *tree, const char *key, const char *text);
void value_tree_count(struct value_tree *tree, const char *key, uint64_t count);
void value_tree_integer(struct value_tree *tree, const char *key, int64_t number);
/* Adds a number with nine decimals, so that seconds are exact to the ns; null if it is not finite. */
void value_tree_number(struct value_tree *tree, const char *key, double number);
/* Adds a number with nine significant digits; null if it is not finite. */
void value_tree_real(struct value_tree *tree, const char *key, double number);
/* Adds a number with 15 significant digits, which distinguish adjacent ticks; null if it is not finite. */
void value_tree_exact(struct value_tree *tree, const char *key, double number);

/* Operations of an output form. */
struct value_tree_form {
    void (*begin)(struct value_tree *tree, const char *key, bool list);
    void (*end)(struct value_tree *tree);
    void (*value)(struct value_tree *tree, const char *key, const char *text, bool quoted);
};
