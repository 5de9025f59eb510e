/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that fits the screen: columns that can be spared are left out. Then its first column, names, is cut
 * in the middle. Where that would leave too little of them, more columns are left out, the least important
 * first. Numbers are never cut. Used by report and compare.
 */
#ifndef OMPTAPE_COMMAND_TEXT_TABLE_H
#define OMPTAPE_COMMAND_TEXT_TABLE_H

#include "src/command/text/screen.h"
#include "src/core/store.h"

enum { OMPTAPE_TABLE_MOST_COLUMNS = 12, OMPTAPE_TABLE_NAME_LEAST = 18 };

/* Columns as dispensable as that go before a name is cut. */
enum { OMPTAPE_TABLE_SPARE = 10 };

struct omptape_table_column {
    const char *title;
    bool left;            /* its text is at its left side; numbers are at the right one */
    unsigned dispensable; /* 0: never left out; else the largest number goes first */
    enum omptape_screen_style style;
};

/* Zeros and the columns are an empty table; columns[0] has the names. */
struct omptape_table {
    const struct omptape_table_column *columns;
    unsigned column_count;
    const char **cells; /* row by row */
    uint32_t cell_count;
    uint32_t room;
    struct omptape_arena arena;
    bool no_memory;
};

/* Adds the next cell, row by row: any bytes. */
void omptape_table_cell(struct omptape_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a line of titles and the rows, and frees what the table holds. 0 or -ENOMEM. */
int omptape_table_print(struct omptape_table *table, const struct omptape_screen *screen);

#endif
