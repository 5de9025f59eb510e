/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that fits the screen. Dispensable columns are hidden first. Then the first column, which holds
 * names, is shortened in the middle. If the names became too short, more columns are hidden, the least
 * important first. Numbers are never shortened. Used by report and compare.
 */
#pragma once

#include "src/command/text/screen.h"
#include "src/core/store.h"

enum { OMPTAPE_TABLE_MAX_COLUMNS = 12, OMPTAPE_TABLE_MIN_NAME = 18 };

/* Columns with at least this value of `dispensable` are hidden before a name is shortened. */
enum { OMPTAPE_TABLE_SPARE = 10 };

struct omptape_table_column {
    char title[128];
    bool left;            /* left-aligned; numbers are right-aligned */
    unsigned dispensable; /* 0 if never hidden; otherwise the largest value is hidden first */
    enum omptape_screen_style style;
};

/* A table: made by omptape_table_of or initialised with zeros. columns[0] holds the names. */
struct omptape_table {
    struct omptape_table_column columns[OMPTAPE_TABLE_MAX_COLUMNS];
    unsigned column_count;
    const char **cells; /* texts, row by row */
    uint32_t cell_count;
    uint32_t capacity;
    struct omptape_arena arena;
    bool no_memory;
};

/* Returns a table with the columns of a text such as "lock|times:2|<holder:1|waiting". A number behind a
 * title is `dispensable`, and "<" before a title aligns its column to the left. */
struct omptape_table omptape_table_of(const char *columns);

/* Appends a column to a table without cells, and returns it. */
struct omptape_table_column *omptape_table_column(struct omptape_table *table, const char *title,
                                                  unsigned dispensable);

/* Appends the next cell, row by row. The text may contain any bytes. */
void omptape_table_cell(struct omptape_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the titles and the rows, and frees the cells. Returns 0 or -ENOMEM. */
int omptape_table_print(struct omptape_table *table, const struct omptape_screen *screen);
