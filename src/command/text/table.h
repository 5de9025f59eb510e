/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that fits the screen. Dispensable columns are hidden first. Then the first column, which holds
 * names, is shortened in the middle. If the names became too short, more columns are hidden, the least
 * important first. Numbers are never shortened. Used by report and compare.
 */
#pragma once

#include "src/command/text/screen.h"
#include "src/core/store.h"

enum { TABLE_MAX_COLUMNS = 12, TABLE_MIN_NAME = 18 };

/* Columns with at least this value of `dispensable` are hidden before a name is shortened. */
enum { TABLE_SPARE = 10 };

struct table_column {
    char title[128];
    bool left;            /* left-aligned; numbers are right-aligned */
    unsigned dispensable; /* 0 if never hidden; otherwise the largest value is hidden first */
    enum screen_style style;
};

/* A table: made by table_of or initialised with zeros. columns[0] holds the names. */
struct table {
    struct table_column columns[TABLE_MAX_COLUMNS];
    unsigned column_count;
    const char **cells; /* texts, row by row */
    uint32_t cell_count;
    uint32_t capacity;
    struct omptape_arena arena;
    bool no_memory;
};

/* Returns a table with the columns of a text such as "lock|times:2|<holder:1|waiting". A number behind a
 * title is `dispensable`, and "<" before a title aligns its column to the left. */
struct table table_of(const char *columns);

/* Appends a column to a table without cells, and returns it. */
struct table_column *table_column(struct table *table, const char *title, unsigned dispensable);

/* Appends the next cell, row by row. The text may contain any bytes. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same; appends "-" if the number is not known. */
void table_cell_if(struct table *table, bool is_known, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the titles and the rows, and frees the cells. Returns 0 or -ENOMEM. */
int table_print(struct table *table, const struct screen *screen);
